"""The table of `interlock fleet`, printed once or live."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import typer

from interlock.cli.output import colours, print_json, screen_width, table
from interlock.features.fleet.fleet import HEAD, LEAST, Fleet, line_of, of_interest, summary
from interlock.features.work.records import FleetRow

_SECONDS: Final = 0.5  # between two looks


def show_fleet(database: Path, *, once: bool, everybody: bool, as_json: bool) -> None:
    """Print all agents once, or show them live on a terminal."""
    with closing(Fleet(database)) as seen:

        def chosen() -> tuple[list[FleetRow], int]:
            rows = seen.rows()
            shown = rows if everybody else of_interest(rows, time.time())
            return shown, len(rows) - len(shown)

        def draw(width: int, height: int) -> list[str]:
            rows, hidden = chosen()
            return live_lines(rows, hidden=hidden, width=width, height=height)

        if as_json:
            for row in chosen()[0]:
                print_json(row)
        elif once or not (sys.stdout.isatty() and sys.stdin.isatty()):
            rows, hidden = chosen()
            lines = fleet_lines(rows, hidden=hidden, now=time.time(), width=screen_width())
            typer.echo("\n".join(lines))
        else:
            show_live(draw, seconds=_SECONDS)


def fleet_lines(rows: Sequence[FleetRow], *, hidden: int, now: float, width: int | None) -> list[str]:
    """A summary line, then the table."""
    first = summary(rows, hidden)
    if width is not None and len(first) > width:
        first = first[: width - 1] + "…"
    cells = [line_of(row, now).cells for row in rows]
    return [first, *table(HEAD, cells, cut=LEAST, width=width)] if rows else [first]


def live_lines(rows: Sequence[FleetRow], *, hidden: int, width: int, height: int) -> list[str]:
    """The same for a live screen, with a count of the lines that do not fit."""
    now = time.time()
    lines = fleet_lines(rows, hidden=hidden, now=now, width=width)
    room = max(3, height - 3)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"… and {len(lines) - room + 1} more"]
    foot = f"{time.strftime('%H:%M:%S', time.localtime(now))}  press q to quit"
    return [*lines, "", typer.style(foot, dim=True) if colours() else foot]


_OPEN: Final = "\x1b[?1049h\x1b[?25l"  # a screen of its own, without a cursor
_CLOSE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_TO_END_OF_LINE: Final = "\x1b[K"
_TO_END: Final = "\x1b[J"
_LEAVE: Final = frozenset({b"q", b"Q", b"\x1b", b"\x04", b""})  # empty: the terminal is gone

# From width and height to lines, which may hold colours but are never wider than the screen.
Draw = Callable[[int, int], list[str]]


def show_live(draw: Draw, *, seconds: float) -> None:
    """Redraw when something changed, until `q` or Ctrl-C."""
    shown = ""
    with _own_screen():
        while True:
            width, height = shutil.get_terminal_size()
            lines = draw(width, height)[: height - 1]
            picture = _HOME + "".join(f"{line}{_TO_END_OF_LINE}\r\n" for line in lines)
            if picture != shown:
                _put(picture + _TO_END)
                shown = picture
            ready, _, _ = select.select([sys.stdin], [], [], seconds)
            if ready and os.read(sys.stdin.fileno(), 16)[:1] in _LEAVE:
                return


def _put(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


@contextmanager
def _own_screen() -> Iterator[None]:
    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys)
    ended = signal.signal(signal.SIGTERM, _interrupt)
    try:
        tty.setcbreak(keys)
        _put(_OPEN)
        yield
    except KeyboardInterrupt:
        pass  # the usual way out
    finally:
        _put(_CLOSE)
        termios.tcsetattr(keys, termios.TCSADRAIN, before)
        signal.signal(signal.SIGTERM, ended)


def _interrupt(_number: int, _frame: Any) -> None:
    """Treat SIGTERM as Ctrl-C, so that the terminal is restored."""
    raise KeyboardInterrupt
