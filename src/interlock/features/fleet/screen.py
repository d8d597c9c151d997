"""A terminal taken over for a picture that changes, and given back as it was."""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

_OPEN: Final = "\x1b[?1049h\x1b[?25l"  # a screen of its own, without a cursor
_CLOSE: Final = "\x1b[?25h\x1b[?1049l"
_HOME: Final = "\x1b[H"
_TO_END_OF_LINE: Final = "\x1b[K"
_TO_END: Final = "\x1b[J"
_LEAVE: Final = frozenset({b"q", b"Q", b"\x1b", b"\x04", b""})

# Width and height in, lines out; they may hold colours, but no line is longer than the screen.
Draw = Callable[[int, int], list[str]]


def show_live(draw: Draw, *, seconds: float) -> None:
    """Draw again and again, only where something changed, until `q` or Ctrl-C."""
    shown = ""
    with _taken_over():
        while True:
            width, height = shutil.get_terminal_size()
            picture = _HOME + "".join(
                f"{line}{_TO_END_OF_LINE}\r\n" for line in draw(width, height)[: height - 1]
            )
            if picture != shown:
                _put(picture + _TO_END)
                shown = picture
            if _pressed(seconds) in _LEAVE:
                return


def _put(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _pressed(seconds: float) -> bytes | None:
    """The key that was pressed meanwhile, if any; empty when there is nobody to press one any more."""
    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return os.read(sys.stdin.fileno(), 16)[:1] if ready else None


@contextmanager
def _taken_over() -> Iterator[None]:
    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys)
    ended = signal.signal(signal.SIGTERM, _leave)
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


def _leave(_number: int, _frame: Any) -> None:
    """Ended from outside, the terminal is given back all the same."""
    raise KeyboardInterrupt
