"""The fleet as people read it: a table as wide as the screen, coloured where it matters."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

import typer

from interlock.cli.output import columns
from interlock.features.fleet.views import HEAD, LEAST, STATUS, Line, lines_of, summary
from interlock.features.work.records import FleetRow


class _Look(NamedTuple):
    colour: str | None = None
    bold: bool = False
    dim: bool = False


_PALE: Final = _Look(dim=True)
# Only what asks for something stands out; a table in five colours says nothing.
_LOOKS: Final = {
    "error": _Look(typer.colors.RED, bold=True),
    "gone": _Look(typer.colors.RED),
    "attention": _Look(typer.colors.YELLOW, bold=True),
    "unchecked": _Look(typer.colors.GREEN),
    "working": _Look(typer.colors.CYAN),
}


def fleet_lines(
    rows: Sequence[FleetRow], *, hidden: int, now: float, width: int | None, coloured: bool
) -> list[str]:
    """One line that sums it up, then the table."""
    first = summary(rows, hidden)
    told = first if width is None or len(first) <= width else first[: width - 1] + "…"
    return [told, *_table(lines_of(rows, now), width, coloured)] if rows else [told]


def live_lines(
    rows: Sequence[FleetRow], *, hidden: int, width: int, height: int, coloured: bool
) -> list[str]:
    """The same for a screen that is drawn again and again; what does not fit is counted."""
    now = time.time()
    lines = fleet_lines(rows, hidden=hidden, now=now, width=width, coloured=coloured)
    room = max(3, height - 3)
    if len(lines) > room:
        lines = [*lines[: room - 1], f"… and {len(lines) - room + 1} more"]
    foot = f"{time.strftime('%H:%M:%S', time.localtime(now))}  q leaves"
    return [*lines, "", _dim(foot) if coloured else foot]


def _table(lines: Sequence[Line], width: int | None, coloured: bool) -> list[str]:
    head, *body = columns([HEAD, *(line.cells for line in lines)], cut=LEAST, width=width)
    if not coloured:
        return [head, *body]
    at = head.index(HEAD[STATUS])
    return [_dim(head), *(_coloured(text, at, line) for text, line in zip(body, lines, strict=True))]


def _coloured(text: str, at: int, line: Line) -> str:
    word = line.cells[STATUS]
    look = _LOOKS.get(line.shown, _PALE)
    styled = typer.style(word, fg=look.colour, bold=look.bold or None, dim=look.dim or None)
    return f"{text[:at]}{styled}{text[at + len(word) :]}"


def _dim(text: str) -> str:
    return typer.style(text, dim=True)
