"""Tables on a terminal, drawn by rich."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

# Columns whose words have a colour, and the colours.
_COLOURED: Final = frozenset({"DECISION", "STATE", "STATUS", "SAYS", "VOTE"})
_STYLES: Final = {
    **dict.fromkeys(("allow", "approved", "closed", "in force", "ok", "succeeded", "unchecked"), "green"),
    **dict.fromkeys(("ask", "in_review", "pending", "started", "unknown", "warn"), "yellow"),
    **dict.fromkeys(("failed", "gone", "reopened"), "red"),
    **dict.fromkeys(("deny", "denied", "error"), "bold red"),
    **dict.fromkeys(("claimed", "working"), "cyan"),
    **dict.fromkeys(("-", "checked", "done", "ended", "expired", "finished", "idle", "revoked"), "dim"),
    "attention": "bold yellow",
}


class Drawing(NamedTuple):
    """How the columns of a table share the room."""

    cut: Mapping[int, int]  # may end in an ellipsis; the widest gives way first
    wrap: int | None = None  # its text goes on in the next line
    fixed: Mapping[int, int] = MappingProxyType({})  # as wide as this
    header: bool = True


def draw(
    titles: Sequence[str], rows: Sequence[Sequence[str]], how: Drawing, *, width: int, coloured: bool
) -> list[str]:
    """The lines of a table; the cells are safe to show."""
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=how.header)
    for index, title in enumerate(titles):
        drawn.add_column(
            Text(title, no_wrap=True, overflow="ellipsis"),
            # rich narrows the columns that may wrap; the cells themselves say whether they do.
            no_wrap=index not in how.cut and index != how.wrap,
            width=how.fixed.get(index),
        )
    for row in rows:
        drawn.add_row(
            *(
                _cell(cell, title, wraps=index == how.wrap)
                for index, (cell, title) in enumerate(zip(row, titles, strict=True))
            )
        )
    console = Console(
        width=width, color_system="standard" if coloured else None, force_terminal=coloured, no_color=False
    )
    with console.capture() as captured:
        console.print(drawn)
    return [line.rstrip() for line in captured.get().splitlines()]


def _cell(cell: str, title: str, *, wraps: bool) -> Text:
    return Text(
        cell,
        style=style(cell) if title in _COLOURED else "",
        no_wrap=not wraps,
        overflow="fold" if wraps else "ellipsis",
    )


def style(word: str) -> str:
    """How a decision, a state or a status looks."""
    return _STYLES.get(re.split(r", | \(|\?| ap_", word, maxsplit=1)[0], "")
