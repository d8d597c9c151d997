"""Tables on a terminal, drawn by rich."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

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


def draw(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    cut: Mapping[int, int],
    wrap: int | None,
    width: int,
    coloured: bool,
) -> list[str]:
    """The lines of a table; the cells are safe to show."""
    drawn = Table(
        box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=bool(titles)
    )
    for index in range(len(titles) or len(rows[0])):
        # rich narrows the columns that may wrap; a cell of `cut` ends in an ellipsis instead.
        title = Text(titles[index] if titles else "", no_wrap=True, overflow="ellipsis")
        drawn.add_column(title, no_wrap=index not in cut and index != wrap, min_width=cut.get(index))
    for row in rows:
        drawn.add_row(*(_cell(index, cell, titles, wrap) for index, cell in enumerate(row)))
    console = Console(
        width=width, color_system="standard" if coloured else None, force_terminal=coloured, no_color=False
    )
    with console.capture() as captured:
        console.print(drawn)
    return [line.rstrip() for line in captured.get().splitlines()]


def _cell(index: int, cell: str, titles: Sequence[str], wrap: int | None) -> Text:
    tinted = bool(titles) and titles[index] in _COLOURED
    return Text(
        cell,
        style=style(cell) if tinted else "",
        no_wrap=index != wrap,
        overflow="ellipsis" if index != wrap else "fold",
    )


def style(word: str) -> str:
    """How a decision, a state or a status looks."""
    return _STYLES.get(re.split(r", | \(|\?", word, maxsplit=1)[0], "")
