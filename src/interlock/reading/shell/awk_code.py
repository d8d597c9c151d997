"""What the program text of `awk` gives to a shell: `system(…)`, `print | "…"` and `"…" | getline`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from interlock.reading.shell.called_code import unescaped

_LONGEST: Final = 20_000
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_SYSTEM: Final = re.compile(r"(?<!\w)system\s*\(")
_PRINTED: Final = re.compile(rf"\|\s*({_STRING})(?=\s*(?:[;}}\n)]|\Z))")
_READ: Final = re.compile(rf"({_STRING})\s*\|\s*getline")
_PIECE: Final = re.compile(
    rf"\s+|(?P<string>{_STRING})|(?P<field>\$\w+|\$\([^()]*\))|(?P<other>[^\s()\"]+|[()])"
)


class ShellText(NamedTuple):
    """One text that a shell gets."""

    text: str
    fed: bool = False  # it finds on its input what the program prints


def texts_of_awk(code: str) -> Iterator[ShellText]:
    """Each text; `$1` stands in it for what only the run decides."""
    if len(code) > _LONGEST:
        return
    for call in _SYSTEM.finditer(code):
        yield ShellText(_joined(code, call.end()))
    for printed in _PRINTED.finditer(code):
        yield ShellText(unescaped(printed[1][1:-1]), fed=True)
    for read in _READ.finditer(code):
        yield ShellText(unescaped(read[1][1:-1]))


def _joined(code: str, at: int) -> str:
    """Strings and what stands between them, to the end of the call."""
    parts: list[str] = []
    depth = 1
    while (piece := _PIECE.match(code, at)) is not None:
        at = piece.end()
        depth += (piece["other"] == "(") - (piece["other"] == ")")
        if depth == 0:
            break
        if piece["string"] is not None:
            parts.append(unescaped(piece["string"][1:-1]))
        elif piece["field"] is not None:
            parts.append("$1")
    return "".join(parts)
