"""Who has to say yes: any one of some people, or several of them.

A list of names travels with a vote; where several must agree, `any:2` stands before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

_ANY: Final = "any:"


def counted(names: Sequence[str], count: int) -> tuple[str, ...]:
    """A list of which so many must say yes."""
    return (f"{_ANY}{count}", *names) if count > 1 else tuple(names)


def wanted_of(lists: Iterable[Sequence[str]]) -> int:
    """How many people must say yes to satisfy every list."""
    return max(
        (int(one[0].removeprefix(_ANY)) for one in lists if one and one[0].startswith(_ANY)), default=1
    )


def in_words(names: Sequence[str]) -> str:
    """A list for people to read."""
    if names and names[0].startswith(_ANY):
        return f"{names[0].removeprefix(_ANY)} of {', '.join(names[1:])}"
    return " or ".join(names)


def all_named(decided_by: str | None, names: Sequence[str]) -> bool:
    """Whether everybody who said yes is on a list."""
    return all(one in names for one in (decided_by or "").split(", "))
