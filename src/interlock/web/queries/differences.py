"""What a hook changed in an input, line by line."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from typing import Final

import msgspec

from interlock.tool import JsonObject

_MOST: Final = 2_000  # lines that are compared; what is longer is shown and not compared
_AROUND: Final = 3


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a difference: `same`, `removed`, `added`, or `left_out` for what did not change."""

    kind: str
    text: str


_KIND: Final = {" ": "same", "-": "removed", "+": "added", "@": "left_out"}


def lines_of(value: JsonObject) -> list[str]:
    """An input as lines: each member under its name, a text of several lines as it stands."""
    return [line for name, inner in value.items() for line in _member(name, inner)]


def _member(name: str, value: object) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    first, *rest = text.split("\n")
    if not rest:
        yield f"{name}: {first}"
        return
    yield f"{name}:"
    yield from (f"  {line}" for line in (first, *rest))


def differences(before: JsonObject, after: JsonObject) -> tuple[Line, ...]:
    """The lines that went and came, with some around them."""
    old, new = lines_of(before), lines_of(after)
    if len(old) + len(new) > _MOST:
        gone = (Line(kind="removed", text=line) for line in old[: _MOST // 2])
        come = (Line(kind="added", text=line) for line in new[: _MOST // 2])
        return (*gone, *come)
    # The first two lines name files; by their place, since a line of an input may look like one of them.
    shown = list(difflib.unified_diff(old, new, lineterm="", n=_AROUND))[2:]
    return tuple(Line(kind=_KIND[line[0]], text="…" if line[0] == "@" else line[1:]) for line in shown)
