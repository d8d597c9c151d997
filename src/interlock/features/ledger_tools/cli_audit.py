"""`interlock ledger audit`: which shell commands ran, when, for how long, and how they ended."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.dates import SinceOption, UntilOption
from interlock.cli.json_output import print_json
from interlock.cli.ledger_filters import (
    ActorOption,
    LimitOption,
    SessionOption,
    filter_of,
    pages_of,
)
from interlock.cli.output import columns, printable, screen_width
from interlock.features.ledger_tools.shell_log import ShellCall, ShellOutcome, shell_log

auditing = typer.Typer()

_HEADER: Final = ("seq", "started", "took", "outcome", "actor", "session", "command")
_CUT: Final = {4: 8, 5: 6, 6: 20}
_LONGEST: Final = 200


@auditing.command(epilog="Example: interlock ledger audit --since 2h --outcome failed")
def audit(
    session: SessionOption = None,
    actor: ActorOption = None,
    outcome: Annotated[ShellOutcome | None, typer.Option(help="Only those that ended so.")] = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one command a line.")] = False,
) -> int:
    """Print shell commands with their times, newest first: what ran, what was denied, what has no end."""
    wanted = filter_of(session, actor, None, None, None, None, since, until)
    # Without its upper end: what began before it may have ended after it.
    entries = pages_of(msgspec.structs.replace(wanted, until=None))
    fitting = (
        call
        for call in shell_log(entries)
        if outcome in {None, call.outcome} and (wanted.until is None or call.started < wanted.until)
    )
    calls = list(islice(fitting, limit))
    if as_json:
        for call in calls:
            print_json(msgspec.to_builtins(call))
    else:
        typer.echo("\n".join(_table(calls)) if calls else "no shell command is recorded")
    return 0


def _table(calls: list[ShellCall]) -> list[str]:
    width = screen_width()
    rows = [
        (
            str(call.seq),
            call.started if width is None else f"{call.started[:19]}Z",
            _took(call.duration_ms),
            call.outcome,
            call.actor,
            call.session_id,
            printable((call.command or "(not read)")[:_LONGEST]),
        )
        for call in calls
    ]
    return columns([_HEADER, *rows], cut=_CUT, width=width)


def _took(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "-"
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"  # noqa: PLR2004 - a second
