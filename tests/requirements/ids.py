"""The ids a `req` mark may name, and those that some test must name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_RANGE: Final = re.compile(r"([A-Z])(\d+)(?:-\1(\d+))?")
_REQUIREMENTS: Final = "C1-C97 M1-M85 P1-P54 E1-E80 U1-U39 X1-X45"
_CASES: Final = "C01-C23 P01-P09 T01-T11 D01-D17 Z01-Z12 L01-L10 F01-F08"


def expand(text: str) -> Iterator[str]:
    """Give the ids of `C1-C72` or `C97` one by one; `C01` and `C1` are different ids."""
    found = _RANGE.fullmatch(text)
    if found is None:
        raise ValueError(f"`{text}` is not an id and no range; write `C97` or `C1-C72`")
    letter, first, last = found.group(1), found.group(2), found.group(3) or found.group(2)
    width = len(first) if first.startswith("0") else 0
    for number in range(int(first), int(last) + 1):
        yield f"{letter}{number:0{width}}"


def expand_all(text: str) -> tuple[str, ...]:
    """Give the ids of a text of ids and ranges, in its order; `#` begins a comment."""
    lines = (line.partition("#")[0] for line in text.splitlines())
    return tuple(name for line in lines for word in line.split() for name in expand(word))


def _known() -> tuple[str, ...]:
    requirements, cases = expand_all(_REQUIREMENTS), expand_all(_CASES)
    # Above 9 a case of the C list is spelt like a requirement: the bare id means the requirement.
    twins = set(requirements)
    return (*requirements, *(f"case:{name}" if name in twins else name for name in cases))


KNOWN: Final = _known()
IN_SCOPE: Final = expand_all(Path(__file__).with_name("in_scope.txt").read_text(encoding="utf-8"))
