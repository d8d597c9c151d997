"""`interlock session cancel`: stop a session that is under way, and let it go on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.help import make_group
from interlock.cli.output import Json, print_json, printable, table
from interlock.cli.people_only import require_person
from interlock.errors import InterlockError

Id = Annotated[
    str | None, typer.Argument(metavar="ID", help="The session id, or the start of it if that is unique.")
]
Every = Annotated[bool, typer.Option("--all", help="Every session.")]

cancelling = typer.Typer()


@cancelling.command(epilog="Example: interlock session cancel 7c1e --reason 'wrong branch'")
def cancel(
    name: Id = None,
    every: Every = False,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to the agent.")] = None,
    hold: Annotated[
        bool, typer.Option("--hold", help="Stay cancelled after its next prompt, until `session resume`.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Stop a session until its next prompt.

    Every tool call is denied, so that the agent ends its turn.
    """
    require_person("session cancel")
    done, who = _ask("cancel", name, every, reason=reason, hold=hold)
    if as_json:
        print_json(done)
    else:
        until = "until `interlock session resume`" if hold else "until its next prompt"
        typer.echo(printable(f"{who} cancelled {until}"))
    return 0


@cancelling.command(epilog="Example: interlock session resume --all")
def resume(name: Id = None, every: Every = False, as_json: Json = False) -> int:
    """Let a cancelled session continue."""
    require_person("session resume")
    done, who = _ask("resume", name, every)
    if as_json:
        print_json(done)
    else:
        typer.echo(printable(f"{who} allowed to continue"))
    return 0


@cancelling.command(epilog="Example: interlock session cancelled --json")
def cancelled(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one session a line.")] = False,
) -> int:
    """List the sessions that are stopped now."""
    require_person("session cancelled")
    rows = ask_daemon("session.cancelled", {})["cancelled"]
    if as_json:
        for row in rows:
            print_json(row)
        return 0
    head = ("session", "since", "by", "until", "reason")
    cells = [
        (
            "every" if row["session_id"] == "*" else row["session_id"],
            row["at"],
            row["by"],
            "resume" if row["hold"] else "prompt",
            row["reason"] or "-",
        )
        for row in rows
    ]
    typer.echo("\n".join(table(head, cells, cut={4: 10})) if rows else "no session is cancelled")
    return 0


def _ask(command: str, name: str | None, every: bool, **more: Any) -> tuple[dict[str, Any], str]:
    """The answer to a request about one session or all, and the words for whom it is about."""
    if every == (name is not None):
        raise InterlockError("name one session, or use --all")
    done = ask_daemon(f"session.{command}", {"session": name, "all": every, **more})
    return done, "every session is" if done["session_id"] == "*" else f"session {done['session_id']} is"


def add(app: typer.Typer) -> None:
    """Give `interlock session` the commands that stop one."""
    make_group(app, "session", "See context windows, and stop one.").add_typer(cancelling)
