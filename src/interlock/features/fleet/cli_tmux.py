"""`interlock fleet tmux`: the panes of a tmux in the colours of their agents."""

from __future__ import annotations

import signal
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError

if TYPE_CHECKING:
    from interlock.features.fleet.fleet import Fleet
    from interlock.features.fleet.pane_colors import Painter

_SECONDS: Final = 0.5


def tmux(
    once: Annotated[bool, typer.Option("--once", help="Colour the panes once and leave them so.")] = False,
    remove: Annotated[bool, typer.Option("--clear", help="Take the colours off every pane.")] = False,
    socket: Annotated[
        str | None, typer.Option(metavar="PATH", help="The socket of another tmux than the one around you.")
    ] = None,
) -> int:
    """Colour the panes of a running tmux by the status of their agents, until Ctrl-C.

    A pane you come to, or type in, counts as looked at. At the end every pane is as it was.
    """
    from interlock.features.fleet.fleet import Fleet  # noqa: PLC0415 - the store, for this command only
    from interlock.features.fleet.pane_colors import Painter, clear  # noqa: PLC0415 - no other command paints
    from interlock.features.fleet.tmux import Tmux  # noqa: PLC0415 - as above

    require_person("fleet tmux")
    running = Tmux(socket)
    if remove:
        typer.echo(f"took the colours off {clear(running)} panes")
        return 0
    painter = Painter(running, running.server())
    with closing(Fleet(places_of(here()).database)) as seen:
        if once:
            _paint(painter, seen)
            return 0
        typer.echo("colouring panes by what their agents do; Ctrl-C ends it")
        _go_on(painter, seen)
    return 0


def _go_on(painter: Painter, seen: Fleet) -> None:
    ended = signal.signal(signal.SIGTERM, _leave)
    try:
        while True:
            _paint(painter, seen)
            time.sleep(_SECONDS)
    except KeyboardInterrupt:
        pass  # the usual way out
    finally:
        signal.signal(signal.SIGTERM, ended)
        with suppress(InterlockError):  # tmux may be gone
            painter.restore()


def _paint(painter: Painter, seen: Fleet) -> None:
    looked = painter.paint(seen.rows())
    if looked:
        with suppress(InterlockError):  # the colour stays; the next look tries again
            ask_daemon("fleet.check", {"agents": [row.agent for row in looked]})


def _leave(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt
