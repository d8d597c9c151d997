"""Paths that begin with a variable of which the text itself says that it is a temporary folder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from interlock.effects.command import Command

# With an unset variable, `$d/*` would be `/*`: what follows must be a name.
_FROM_VARIABLE: Final = re.compile(
    r"\$(?:(?P<bare>\w+)|\{(?P<braced>\w+)(?::?[-?][^}$`]*)?\})(?P<rest>(?:/[\w.@%+=:,-]+)*)/?"
)
_MADE: Final = re.compile(r"(?:\$\(|`)\s*mktemp\b[^;|&$`]*[)`]")
_ASSIGNING: Final = frozenset({"export", "local", "declare", "typeset", "readonly"})
_FILLING: Final = frozenset({"read", "mapfile", "readarray", "getopts", "printf"})
_GIVEN: Final = "TMPDIR"


def leads_to_temporary(target: str, commands: Sequence[Command]) -> bool:
    """Whether a target lies in `$TMPDIR` or in what `mktemp` made, as far as the text tells."""
    path = _FROM_VARIABLE.fullmatch(target)
    if path is None or ".." in path["rest"].split("/"):
        return False
    name = path["bare"] or path["braced"]
    values = list(_values(name, commands))
    if name == _GIVEN and not values:
        return bool(path["rest"])
    return bool(values) and all(_MADE.fullmatch(value.strip("\"'")) for value in values)


def _values(name: str, commands: Sequence[Command]) -> Iterator[str]:
    """Everything the text puts into a variable; an empty text where that is not known."""
    start = f"{name}="
    for command in commands:
        yield from (word.text for variable, word in command.environment if variable == name)
        program = command.words[0].text if command.words else ""
        if program in _ASSIGNING:
            yield from (one.text[len(start) :] for one in command.words if one.text.startswith(start))
        if program in _FILLING and any(word.text == name for word in command.words):
            yield ""
