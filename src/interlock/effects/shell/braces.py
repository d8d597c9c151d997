"""Brace expansion: `{a,b}` and `{1..3}` become several words before anything else happens."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from interlock.effects.shell.syntax import Part, Text, Variable

_RANGE: Final = re.compile(r"(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.-?\d{1,6})?|([A-Za-z])\.\.([A-Za-z])")
_MAX_WORDS: Final = 200
_MAX_BRACES: Final = 30

# A part of a word, or one of its unquoted characters.
_Item = str | Part


class _OddError(Exception):
    """Braces that are not plain lists or ranges, or make too many words."""


def brace_words(parts: tuple[Part, ...]) -> list[tuple[Part, ...]] | None:
    """The words that braces make of one; None when there are too many, or shells may not agree."""
    items: list[_Item] = []
    for part in parts:
        items.extend(part.text if type(part) is Text and not part.quoted else (part,))
    if "," not in items and ".." not in "".join(item for item in items if isinstance(item, str)):
        return [parts]
    if items.count("{") != items.count("}") or items.count("{") > _MAX_BRACES:
        return None
    try:
        words = [_join(word) for word in _expand(items)]
    except _OddError:
        return None
    return None if any(_names_another(word) for word in words) else words


def _expand(items: list[_Item]) -> list[list[_Item]]:
    if "{" not in items:
        return [items]
    opened = items.index("{")
    alternatives, after = _alternatives(items, opened)
    tails = _expand(items[after:])
    if len(alternatives) * len(tails) > _MAX_WORDS:
        raise _OddError
    return [
        [*items[:opened], *middle, *rest]
        for middle in alternatives
        for rest in tails
    ]  # fmt: skip


def _alternatives(items: list[_Item], opened: int) -> tuple[list[list[_Item]], int]:
    """What stands between the commas of the braces opened here, and where they end."""
    depth, start = 0, opened + 1
    pieces: list[list[_Item]] = []
    for index in range(opened + 1, len(items)):
        item = items[index]
        if item == "{":
            depth += 1
        elif item == "}" and depth:
            depth -= 1
        elif item == "}" and pieces:
            pieces.append(items[start:index])
            return [word for piece in pieces for word in _expand(piece)], index + 1
        elif item == "}":
            return _range(items[start:index]), index + 1
        elif item == "," and not depth:
            pieces.append(items[start:index])
            start = index + 1
    raise _OddError


def _range(items: list[_Item]) -> list[list[_Item]]:
    text = "".join(item for item in items if isinstance(item, str))
    found = _RANGE.fullmatch(text)
    if found is None or not all(isinstance(item, str) for item in items):
        raise _OddError
    first, last = (ord(found[3]), ord(found[4])) if found[3] else (int(found[1]), int(found[2]))
    if abs(last - first) > _MAX_WORDS or text.count("..") > 1:
        raise _OddError
    step = 1 if last >= first else -1
    numbers = range(first, last + step, step)
    width = _width(found[1] or "", found[2] or "")
    return [list(chr(n) if found[3] else f"{n:0{width}}") for n in numbers]


def _width(first: str, last: str) -> int:
    """How wide numbers are written: as wide as the widest, when one begins with a zero."""
    padded = any(len(end.lstrip("-")) > 1 and end.lstrip("-").startswith("0") for end in (first, last))
    return max(len(first), len(last)) if padded else 1


def _names_another(parts: tuple[Part, ...]) -> bool:
    """Whether braces brought letters to the end of a name: `$x{a,b}` is `$xa $xb`."""
    return any(
        type(before) is Variable
        and not before.quoted
        and before.written == f"${before.name}"
        and type(after) is Text
        and not after.quoted
        and (after.text[:1].isalnum() or after.text[:1] == "_")
        for before, after in pairwise(parts)
    )


def _join(items: list[_Item]) -> tuple[Part, ...]:
    parts: list[Part] = []
    run: list[str] = []
    for item in items:
        if isinstance(item, str):
            run.append(item)
            continue
        if run:
            parts.append(Text("".join(run)))
            run = []
        parts.append(item)
    return (*parts, Text("".join(run))) if run else tuple(parts)
