"""`interlock session cancel`: stop a session that is under way, and let it go on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.help import make_group
from interlock.cli.output import print_json, printable, table
from interlock.cli.people_only import require_person
from interlock.errors import InterlockError

Id = Annotated[
    str | None, typer.Argument(metavar="ID", help="The session id, or the start of it if that is unique.")
]
Every = Annotated[bool, typer.Option("--all", help="Every session.")]
JsonResult = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

cancelling = typer.Typer()


@cancelling.command(epilog="Example: interlock session cancel 7c1e --reason 'wrong branch'")
def cancel(
    name: Id = None,
    every: Every = False,
    reason: Annotated[str | None, typer.Option(help="The reason, shown to the agent.")] = None,
    hold: Annotated[
        bool, typer.Option("--hold", help="Stay cancelled after its next prompt, until `session resume`.")
    ] = False,
    as_json: JsonResult = False,
) -> int:
    """Stop a session until its next prompt.

    Every tool call is denied, so that the agent ends its turn.
    """
    require_person("session cancel")
    done = ask_daemon("session.cancel", {**_meant(name, every), "reason": reason, "hold": hold})
    if as_json:
        print_json(done)
    else:
        until = "until `interlock session resume`" if hold else "until its next prompt"
        typer.echo(printable(f"{_who(done)} cancelled {until}"))
    return 0


@cancelling.command(epilog="Example: interlock session resume --all")
def resume(name: Id = None, every: Every = False, as_json: JsonResult = False) -> int:
    """Let a cancelled session continue."""
    require_person("session resume")
    done = ask_daemon("session.resume", _meant(name, every))
    if as_json:
        print_json(done)
    else:
        typer.echo(printable(f"{_who(done)} allowed to continue"))
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
    typer.echo("\n".join(_table(rows)) if rows else "no session is cancelled")
    return 0


def _meant(name: str | None, every: bool) -> dict[str, Any]:
    if every == (name is not None):
        raise InterlockError("name one session, or use --all")
    return {"session": name, "all": every}


def _who(row: dict[str, Any]) -> str:
    return "every session is" if row["session_id"] == "*" else f"session {row['session_id']} is"


def _table(rows: list[dict[str, Any]]) -> list[str]:
    cells = [
        (
            "every" if row["session_id"] == "*" else str(row["session_id"]),
            str(row["at"]),
            str(row["by"]),
            "resume" if row["hold"] else "prompt",
            str(row["reason"] or "-"),
        )
        for row in rows
    ]
    return table(("session", "since", "by", "until", "reason"), cells, cut={4: 10})


def add(app: typer.Typer) -> None:
    """Give `interlock session` the commands that stop one."""
    make_group(app, "session", "See context windows, and stop one.").add_typer(cancelling)
