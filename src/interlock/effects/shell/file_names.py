"""Names of files that only the run decides: which ones they may turn out to be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

ANY: Final = "$(…)"  # in place of what this text itself has made a riddle
_NEW: Final = re.compile(
    r"\$\(\s*(?:mktemp|tempfile|uuidgen)\b[^;&|<>`()\n]*\)"
)  # names no file that is there
_NEW_NAME: Final = "$(mktemp)"
_MARKS: Final = frozenset({ANY, _NEW_NAME})
_VARIABLE: Final = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_PIECE: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|\$\w+|\$[@*#?!$-]")
_LONGEST: Final = 400  # characters of a name that is spelled out


def is_new_file(written: str) -> bool:
    """Whether a substitution makes a file of its own."""
    return _NEW.fullmatch(written) is not None


def spelled_out(path: str, variables: Mapping[str, str | None], origins: Mapping[str, str]) -> str:
    """A path with what is known of its variables, and a mark for each of its substitutions."""
    if len(path) > _LONGEST:
        return ANY
    marked = _marked(path)
    if marked in _MARKS:
        return marked
    for found in _VARIABLE.finditer(marked):
        name = found[1] or found[2]
        if name in origins or name in variables:
            return _with_values(marked, variables, origins)
    return marked  # of what the environment brings nothing is known


def _with_values(marked: str, variables: Mapping[str, str | None], origins: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name in origins:
            return origins[name]
        return ANY if variables.get(name, "") is None else found[0]

    whole = _VARIABLE.sub(value, marked)
    return whole if len(whole) <= _LONGEST else ANY


@lru_cache(maxsize=512)
def _marked(path: str) -> str:
    """A path without the text of its substitutions, in which there may be slashes."""
    while (start := path.find("`")) >= 0:
        end = path.find("`", start + 1)
        path = path[:start] + ANY + (path[end + 1 :] if end >= 0 else "")
    pieces: list[str] = []
    at = 0
    while (start := path.find("$(", at)) >= 0:
        end = _end(path, start + 1)
        written = path[start:end]
        pieces += (path[at:start], _NEW_NAME if _NEW.fullmatch(written) else ANY)
        at = end
    return "".join((*pieces, path[at:]))


def _end(path: str, start: int) -> int:
    """The place after the bracket that closes the one here."""
    depth = 0
    for at in range(start, len(path)):
        depth += (path[at] == "(") - (path[at] == ")")
        if not depth:
            return at + 1
    return len(path)


def may_be_named(written: str, name: str) -> bool:
    """Whether a file that was made may have this name: `f.sh$v` may be `f.sh`, and `$(…)` any."""
    if written == name or "$" not in written:
        return written == name
    first, *_, last = _PIECE.split(written) if _PIECE.search(written) else ("", "")
    if not (first or last):  # what the environment brings is not of this text
        return ANY in written or any(name in piece for piece in _PIECE.findall(written) if piece[1] == "{")
    return name.startswith(first) and name.endswith(last)
