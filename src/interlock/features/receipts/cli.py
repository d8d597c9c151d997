"""`interlock receipts`: which tool calls were recorded, and settling those whose end nobody saw."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.json_output import print_json
from interlock.cli.output import printable, screen_width
from interlock.cli.people_only import require_person
from interlock.errors import InterlockError
from interlock.features.receipts.cli_text import checkpoint_table, details, table, waiting_lines

receipts = typer.Typer(help="See recorded tool calls, and settle unfinished ones.", no_args_is_help=True)

Id = Annotated[str, typer.Argument(metavar="ID", help="The call, as in tc_0f3a9c2b71.")]


@receipts.callback()
def for_people() -> None:
    """See recorded tool calls, and settle unfinished ones."""
    require_person("receipts")


@receipts.command("list", epilog="Example: interlock receipts list --unfinished")
def list_calls(
    unfinished: Annotated[
        bool, typer.Option("--unfinished", help="Only calls without a known end, and failed ones to look at.")
    ] = False,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only calls of this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many, the newest.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one call a line.")] = False,
) -> int:
    """Print recorded calls, the newest first."""
    found = ask_daemon("receipts.list", {"unfinished": unfinished, "session": session, "limit": limit})
    if as_json:
        for row in found["calls"]:
            print_json(row)
        return 0
    if found["calls"]:
        typer.echo("\n".join(table(found["calls"], screen_width())))
    else:
        typer.echo("every recorded call has its end" if unfinished else "no call is recorded")
    for line in waiting_lines(found["waiting"]):
        typer.echo(line)
    return 0


@receipts.command(epilog="Example: interlock receipts show tc_0f3a9c2b71")
def show(
    name: Id,
    as_json: Annotated[bool, typer.Option("--json", help="Print the call as JSON.")] = False,
) -> int:
    """Print one call: what went in, what came back, how it ended."""
    row = ask_daemon("receipts.show", {"id": name})
    if as_json:
        print_json(row)
    else:
        typer.echo("\n".join(details(row)))
    return 0


@receipts.command(epilog="Example: interlock receipts checkpoints --session 7c1e")
def checkpoints(
    session: Annotated[str | None, typer.Option(metavar="ID", help="Only those of this session.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many, the newest.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one checkpoint a line.")] = False,
) -> int:
    """Print where things stood before the first calls of each step, the newest first."""
    found = ask_daemon("receipts.checkpoints", {"session": session, "limit": limit})["checkpoints"]
    if as_json:
        for row in found:
            print_json(row)
    else:
        lines = checkpoint_table(found, screen_width()) if found else ["no recorded call began a step"]
        typer.echo("\n".join(lines))
    return 0


@receipts.command(
    epilog="Example: interlock receipts resolve tc_0f3a9c2b71 --succeeded --note 'it is in Sent'"
)
def resolve(
    name: Id,
    succeeded: Annotated[
        bool, typer.Option("--succeeded", help="It happened; it must not run again.")
    ] = False,
    failed: Annotated[
        bool, typer.Option("--failed", help="It did not happen, or has been dealt with.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="It may run once more, although it may have happened.")
    ] = False,
    note: Annotated[str | None, typer.Option(help="How you know, for the record.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Say how a call ended whose end nobody saw, or let it run once more."""
    said = {"succeeded": succeeded, "failed": failed, "retry": retry}
    chosen = [word for word, given in said.items() if given]
    if len(chosen) != 1:
        raise InterlockError("say one of --succeeded, --failed and --retry")
    done = ask_daemon("receipts.resolve", {"id": name, "answer": chosen[0], "note": note})
    if as_json:
        print_json(done)
    else:
        then = "it may run once more" if retry else f"it {done['status']}"
        typer.echo(printable(f"{done['id']} is settled by {done['by']}: {then}"))
    return 0


def add(app: typer.Typer) -> None:
    """Give the program its commands about recorded calls."""
    app.add_typer(receipts, name="receipts")
