"""The commands about commitments, in the order of a commitment's life."""

from __future__ import annotations

import typer

from interlock.features.commitments import cli_operations as working
from interlock.features.commitments import cli_records as writing
from interlock.features.commitments.cli_view import commitment


def add(app: typer.Typer) -> None:
    """Give the program its commands about what is owed."""
    example = "Example: interlock"
    app.command(epilog=f"{example} capture 'Checkout fails for guests' --kind observation")(writing.capture)
    app.command(epilog=f"{example} commit 'Fix guest checkout' --source mem_1a2b3c4d --tag routine")(
        writing.commit
    )
    app.command(epilog=f"{example} claim cmt_5e6f7a8b")(working.claim)
    app.command(epilog=f"{example} release cmt_5e6f7a8b --reason 'no time'")(working.release)
    app.command(epilog=f"{example} submit cmt_5e6f7a8b --summary 'fixed, tests pass'")(working.submit)
    app.command(epilog=f"{example} approve cmt_5e6f7a8b --comment 'looks right'")(working.approve)
    app.command(epilog=f"{example} reject cmt_5e6f7a8b --reason 'no test' --domain technical")(working.reject)
    app.command(epilog=f"{example} reopen cmt_5e6f7a8b --reason 'it fails again'")(working.reopen)
    app.command(epilog=f"{example} close cmt_5e6f7a8b --evidence mem_9c0d1e2f")(working.close)
    app.command(epilog=f"{example} cancel cmt_5e6f7a8b --reason 'no longer wanted'")(working.cancel)
    app.command(epilog=f"{example} link mem_9c0d1e2f cmt_5e6f7a8b --kind evidence")(writing.link)
    app.command(epilog=f"{example} annotate cmt_5e6f7a8b 'see the logs of Monday'")(writing.annotate)
    app.command(epilog=f"{example} dismiss mem_1a2b3c4d --reason 'works as meant'")(writing.dismiss)
    app.command(epilog=f"{example} triage mem_1a2b3c4d=defer --summary 'Monday'")(writing.triage)
    app.command(epilog=f"{example} publish guides/checkout --module docs --source cmt_5e6f7a8b")(
        writing.publish
    )
    app.add_typer(commitment, name="commitment")
