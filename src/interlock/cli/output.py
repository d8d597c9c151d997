"""Text, tables and JSON for a terminal: safe to show, coloured only for people."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, TextIO

import msgspec
import typer

from interlock.events.verdict import Vote
from interlock.hosts.launching import PROGRAM, install_place

if TYPE_CHECKING:
    from rich.text import Text

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

_COLOUR: Final = {Vote.DENY: typer.colors.RED, Vote.ASK: typer.colors.YELLOW, Vote.ALLOW: typer.colors.GREEN}
# Controls, formats (bidi, zero width), surrogates and separators could change what a reader sees.
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})

_ENDLESS: Final = 10_000  # columns without a terminal, so that no line is cut
LEAST_WIDTH: Final = 40
_SHORT: Final = 80
_ALIGNED: Final = 60  # characters; a longer cell of a file or a pipe does not widen its column

# Columns of a table whose words have a colour, and the colours.
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


def printable(text: str) -> str:
    """The text with every invisible or terminal-changing character written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode() if unicodedata.category(c) in _HIDDEN else c for c in text
    )


def colours(stream: TextIO | None = None, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether to use colour: only on a terminal, and never when NO_COLOR is set."""
    return (stream or sys.stdout).isatty() and not environ.get("NO_COLOR")


def vote_word(word: str, vote: Vote) -> str:
    """Colour a word like this vote, where there are colours."""
    return typer.style(word, fg=_COLOUR.get(vote), bold=vote is Vote.DENY) if colours() else word


def rule_name(hook: str | None) -> str:
    """What people read for a hook: its name, or the kind of one without a name, which is `event[0]:kind`."""
    kind = (hook or "-").rpartition("]:")[2]
    return "permissions" if kind == "genesis_enforcement" else kind


def short(text: str) -> str:
    """Cut the text to what a column of a table should hold."""
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"


def short_path(path: Path | str) -> str:
    """With `~` in place of the home."""
    full, home = Path(path), Path.home()
    return f"~/{full.relative_to(home)}" if full.is_relative_to(home) and full != home else str(path)


def as_typed_here(text: str) -> str:
    """Write the commands in a text with the full path of our program if this shell's PATH lacks it."""
    if f"`{PROGRAM} " not in text or shutil.which(PROGRAM):
        return text
    program = install_place(os.environ, home=Path.home(), cwd=Path("/")).program
    return text.replace(f"`{PROGRAM} ", f"`{shlex.quote(str(program))} ") if program.exists() else text


def print_json(value: object) -> None:
    """Print one line of JSON, in ASCII: safe on any terminal, and a path that is not text passes too."""
    try:
        encoded = msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, from a path or an argument that is not UTF-8
        encoded = None
    if encoded is not None and encoded.isascii():
        typer.echo(encoded.decode())
    else:
        typer.echo(json.dumps(msgspec.to_builtins(value), separators=(",", ":")))


def screen_width(stream: TextIO | None = None) -> int | None:
    """The columns of the terminal; None for a file or a pipe, where nothing is cut."""
    return shutil.get_terminal_size().columns if (stream or sys.stdout).isatty() else None


def width() -> int:
    """The columns of the terminal, or so many that nothing is wrapped."""
    return max(shutil.get_terminal_size((_ENDLESS, 24)).columns, LEAST_WIDTH)


def wrapped(text: str, first: str, then: str) -> list[str]:
    """Wrap a text to the terminal, with an indent for the first line and one for the others."""
    return textwrap.wrap(
        text,
        width(),
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        replace_whitespace=False,
    ) or [first.rstrip()]


def wrapped_prose(lines: Sequence[str]) -> list[str]:
    """Wrap sentences to the terminal, but not indented lines: those are there to be copied."""
    return [
        part
        for line in map(printable, lines)
        for part in ([line] if line.startswith(" ") else wrapped(line, "", ""))
    ]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Align rows in columns, two spaces apart; a very long cell is neither cut nor aligned."""
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
    fixed: Mapping[int, int] = MappingProxyType({}),
    header: bool = True,
) -> list[str]:
    """Rows under a header. On a terminal they fit its width and have colours; elsewhere nothing is cut.

    The columns in `cut` get narrower, the widest first; their cells end in an ellipsis.
    The text of the column `wrap` continues on the next line instead.
    `fixed` sets the width of columns, so that tables printed one after the other are aligned.
    """
    titles = [title.upper() for title in head]
    room = width or screen_width()
    if room is None:
        return columns([titles, *rows])
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", show_header=header)
    for index, title in enumerate(titles):
        drawn.add_column(
            Text(title, no_wrap=True, overflow="ellipsis"),
            # rich narrows the columns that may wrap; the cells themselves say whether they do.
            no_wrap=index not in cut and index != wrap,
            width=fixed.get(index),
        )
    for row in rows:
        cells = enumerate(zip(row, titles, strict=True))
        drawn.add_row(*(_cell(printable(cell), title, wraps=index == wrap) for index, (cell, title) in cells))
    coloured = colours()
    console = Console(
        width=room, color_system="standard" if coloured else None, force_terminal=coloured, no_color=False
    )
    with console.capture() as captured:
        console.print(drawn)
    return [line.rstrip() for line in captured.get().splitlines()]


def _cell(cell: str, title: str, *, wraps: bool) -> Text:
    from rich.text import Text

    return Text(
        cell,
        style=style(cell) if title in _COLOURED else "",
        no_wrap=not wraps,
        overflow="fold" if wraps else "ellipsis",
    )


def style(word: str) -> str:
    """The colour of a decision, a state or a status."""
    return _STYLES.get(re.split(r", | \(|\?| ap_", word, maxsplit=1)[0], "")
