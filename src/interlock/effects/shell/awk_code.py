"""What the program text of `awk` gives to a shell: `system(…)`, `print | "…"` and `"…" | getline`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from interlock.effects.shell.called_code import unescaped

_LONGEST: Final = 20_000
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"'
_SYSTEM: Final = re.compile(r"(?<!\w)system\s*\(")
_PRINTED: Final = re.compile(rf"\|\s*({_STRING})(?=\s*(?:[;}}\n)]|\Z))")
_READ: Final = re.compile(rf"({_STRING})\s*\|\s*getline")
_PIECE: Final = re.compile(
    rf"\s+|(?P<string>{_STRING})|(?P<field>\$\w+|\$\([^()]*\))|(?P<other>[^\s()\"]+|[()])"
)

_NAMED: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*\)")


class ShellText(NamedTuple):
    """One text that a shell gets."""

    text: str
    fed: bool = False  # it finds on its input what the program prints


def texts_of_awk(code: str) -> Iterator[ShellText]:
    """Each text; `$1` stands in it for what only the run decides."""
    if len(code) > _LONGEST:
        return
    for call in _SYSTEM.finditer(code):
        named = _NAMED.match(code, call.end())
        given = _value_of(named[1], code) if named else None
        if named and given is None:  # set from outside: `awk -v cmd=…`
            yield ShellText("$1")
        else:
            yield ShellText(_joined(code, call.end(), 1) if given is None else _joined(given, 0, 0))
    for printed in _PRINTED.finditer(code):
        yield ShellText(unescaped(printed[1][1:-1]), fed=True)
    for read in _READ.finditer(code):
        yield ShellText(unescaped(read[1][1:-1]))


def _joined(code: str, at: int, depth: int) -> str:
    """Strings and what stands between them, to the end of the call, or of the value at depth 0."""
    parts: list[str] = []
    while (piece := _PIECE.match(code, at)) is not None:
        at = piece.end()
        depth += (piece["other"] == "(") - (piece["other"] == ")")
        if depth == 0 and piece["other"] == ")":
            break
        if piece["string"] is not None:
            parts.append(unescaped(piece["string"][1:-1]))
        elif piece["field"] is not None:
            parts.append("$1")
        elif (given := _value_of(piece["other"] or "", code)) is not None:
            parts.append(_joined(given, 0, 0))
    return "".join(parts)


def _value_of(name: str, code: str) -> str | None:
    """What a variable is set to: `cmd = "rm " $1; system(cmd)`."""
    if not name.isidentifier():
        return None
    found = re.search(rf"(?<![\w$]){name}[ \t]*=(?!=)([^;\n}}]*)", code)
    return found[1] if found else None
