"""Asking the daemon about the work, in the name of the session the command runs in."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Final

import typer

from interlock.cli.daemon_client import REFUSED, Say, answered, place
from interlock.cli.output import as_typed_here, print_json, printable
from interlock.cli.people_only import mark_in
from interlock.errors import InterlockError
from interlock.features.work.errors import RefusedError

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
JsonLines = Annotated[bool, typer.Option("--json", help="Print JSON, one a line.")]
Effort = Annotated[
    str | None,
    typer.Option(
        "--effort",
        metavar="EFFORT",
        help="Another effort than the session's, such as e12.",
        show_default=False,
    ),
]
EffortArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="EFFORT", help="Its number, such as e12; default: the session's own.", show_default=False
    ),
]
ForSession = Annotated[
    str | None,
    typer.Option("--session", metavar="ID", help="The session, for people.", show_default=False),
]
ForAgent = Annotated[
    str | None,
    typer.Option("--agent", metavar="NAME", help="The agent, for people.", show_default=False),
]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="Show at most this many.")]

_MOST: Final = 1 << 20  # characters read from standard input


def ask_work(
    method: str, params: Mapping[str, Any], say: Say, *, as_json: bool, rows: str | None = None
) -> int:
    """Send a request and say what came of it; exit 1 when it was refused."""
    return answered(f"work.{method}", _sent(params), say, as_json=as_json, rows=rows)


def _sent(params: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> dict[str, Any]:
    given = {name: value for name, value in params.items() if value is not None}
    return {**place(), "mark": mark_in(environ), "agent_id": environ.get("AGENT_ID"), **given}


def typed_or_piped(text: str | None, missing: str) -> str:
    """What was typed, or standard input for `-` and for nothing; raise where nobody says anything."""
    if text is None and sys.stdin.isatty():
        raise InterlockError(missing)
    typed = text if text != "-" else None
    found = sys.stdin.buffer.read(_MOST).decode("utf-8", "replace") if typed is None else typed
    if not found.strip():
        raise InterlockError(missing)
    return found


def refused(error: RefusedError, *, as_json: bool) -> int:
    """Say what was not even asked for, as the daemon would."""
    if as_json:
        print_json(error.document)
    else:
        typer.echo(printable(as_typed_here(f"interlock: {error}")), err=True)
    return REFUSED
