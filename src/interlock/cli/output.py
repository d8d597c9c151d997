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
    """The text, or so much of it as a column of a table should hold."""
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def screen_width(stream: TextIO | None = None) -> int | None:
    """How many characters a line of the terminal holds; None for a file or a pipe, where all is told."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def columns(
    rows: Sequence[Sequence[str]], *, cut: Mapping[int, int] = MappingProxyType({}), width: int | None = None
) -> list[str]:
    """Rows as aligned text, two spaces between columns.

    Where a line would be longer than `width`, the columns in `cut` give way, down to the width said there.
    """
    clean = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in clean) for i in range(len(clean[0]))] if clean else []
    if width is not None and clean:
        widths = _narrowed(widths, cut, width)
    return [
        "  ".join(_cell(cell, room) for cell, room in zip(row, widths, strict=True)).rstrip() for row in clean
    ]


def _cell(text: str, room: int) -> str:
    return text.ljust(room) if len(text) <= room else text[: room - 1] + "…"


def _narrowed(widths: Sequence[int], cut: Mapping[int, int], width: int) -> list[int]:
    """The widest of the columns that may be cut is made narrower, again and again."""
    found = list(widths)
    while sum(found) + 2 * (len(found) - 1) > width:
        wide = [index for index, least in cut.items() if found[index] > least]
        if not wide:
            break  # a line that is too long says more than one that says nothing
        found[max(wide, key=lambda index: found[index])] -= 1
    return found
