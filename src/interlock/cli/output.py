"""Text for a terminal: safe to show, coloured only for people."""

from __future__ import annotations

import os
import shutil
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TextIO

import typer

from interlock.events.verdict import Vote

_COLOUR = {Vote.DENY: typer.colors.RED, Vote.ASK: typer.colors.YELLOW, Vote.ALLOW: typer.colors.GREEN}
# Controls, formats (bidi, zero width), surrogates and separators could change what a reader sees.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

_WIDE = 80
_ALIGNED = 60  # characters; a wider column of a file or a pipe is not filled up with blanks


def printable(text: str) -> str:
    """The text with every invisible or terminal-changing character written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def colours(stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> bool:
    """Colour only on a terminal, and never when NO_COLOR is set."""
    return (stream or sys.stdout).isatty() and not environ.get("NO_COLOR")


def vote_word(word: str, vote: Vote) -> str:
    """A vote in its colour, or plain."""
    return typer.style(word, fg=_COLOUR.get(vote), bold=vote is Vote.DENY) if colours() else word


def short(text: str) -> str:
    """The text, or as much of it as a column of a table should hold."""
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def screen_width(stream: TextIO | None = None) -> int | None:
    """How many characters a line of the terminal holds; None for a file or a pipe, where nothing is cut."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as aligned text, two spaces between columns; what is very long is not cut, and not aligned."""
    clean = [[printable(cell) for cell in row] for row in rows]
    widths = [min(max(map(len, column)), _ALIGNED) for column in zip(*clean, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in clean]


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    cut: Mapping[int, int] = MappingProxyType({}),
    wrap: int | None = None,
    width: int | None = None,
    fixed: Mapping[int, int] | None = None,
    header: bool = True,
) -> list[str]:
    """Rows under a header. On a terminal they fit its width and have colours; elsewhere nothing is cut.

    The columns in `cut` get narrower, the widest first; their cells end in an ellipsis.
    The text of the column `wrap` goes on in the next line instead.
    With `fixed`, each column is as wide as it says, so that tables printed one after the other are aligned.
    """
    titles = [title.upper() for title in head]
    room = width or screen_width()
    if room is None:
        return columns([titles, *rows])
    from interlock.cli.table import Drawing, draw

    clean = [[printable(cell) for cell in row] for row in rows]
    drawing = Drawing(cut=cut, wrap=wrap, fixed=fixed or {}, header=header)
    return draw(titles, clean, drawing, width=room, coloured=colours())
