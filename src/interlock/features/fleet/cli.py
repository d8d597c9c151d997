"""`interlock fleet`: who works, who waits for you, who failed; live, once, or as colours in tmux."""

from __future__ import annotations

import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Final

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import colours, screen_width
from interlock.cli.policy_source import here
from interlock.daemon.paths import places_of
from interlock.features.fleet.cli_tmux import tmux
from interlock.features.fleet.cli_watch import watch

if TYPE_CHECKING:
    from interlock.features.fleet.fleet import Fleet
    from interlock.features.work.records import FleetRow

_SECONDS: Final = 0.5

fleet = typer.Typer(help="See every agent: who works, who waits for you, who failed.")
fleet.command(epilog="Example: interlock fleet tmux")(tmux)


@fleet.callback(invoke_without_command=True, epilog="Example: interlock fleet --once --all")
def show(
    context: typer.Context,
    once: Annotated[bool, typer.Option("--once", help="Print the table once and leave.")] = False,
    everybody: Annotated[
        bool, typer.Option("--all", help="Also agents that were done more than an hour ago.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, one agent a line, once.")] = False,
) -> int:
    """See every agent: who works, who waits for you, who failed.

    Live on a terminal, until `q`; once where the output is a file or a pipe.
    """
    if context.invoked_subcommand is not None:
        return 0
    from interlock.features.fleet.cli_text import fleet_lines  # noqa: PLC0415 - no other command draws agents
    from interlock.features.fleet.fleet import Fleet  # noqa: PLC0415 - the store, for this command only

    with closing(Fleet(places_of(here()).database)) as seen:
        if as_json:
            for row in _parted(seen, everybody)[0]:
                print_json(row)
        elif once or not (sys.stdout.isatty() and sys.stdin.isatty()):
            rows, hidden = _parted(seen, everybody)
            lines = fleet_lines(
                rows, hidden=hidden, now=time.time(), width=screen_width(), coloured=colours()
            )
            typer.echo("\n".join(lines))
        else:
            _live(seen, everybody)
    return 0


def _live(seen: Fleet, everybody: bool) -> None:
    from interlock.features.fleet.cli_text import live_lines  # noqa: PLC0415 - as above
    from interlock.features.fleet.screen import show_live  # noqa: PLC0415 - only where there is a terminal

    coloured = colours()

    def draw(width: int, height: int) -> list[str]:
        rows, hidden = _parted(seen, everybody)
        return live_lines(rows, hidden=hidden, width=width, height=height, coloured=coloured)

    show_live(draw, seconds=_SECONDS)


def _parted(seen: Fleet, everybody: bool) -> tuple[list[FleetRow], int]:
    """Those to show, and how many are left out."""
    from interlock.features.fleet.fleet import of_interest  # noqa: PLC0415 - as above

    rows = seen.rows()
    shown = rows if everybody else of_interest(rows, time.time())
    return shown, len(rows) - len(shown)


def add(app: typer.Typer) -> None:
    """Give the program its commands about every agent."""
    app.add_typer(fleet, name="fleet")
    app.command(epilog="Example: interlock watch --prompt 'Fix the tests' -- claude -p {prompt}")(watch)
