"""Patterns about what could not be read: `unread(decoded)`, `unread(*)`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from interlock.effects.command import Gap, GapKind
from interlock.errors import PatternError
from interlock.events.hook import Pattern

UNREAD: Final = "unread"
_KINDS: Final = tuple(kind.value for kind in GapKind)


def unread_pattern(text: str, argument: str | None) -> Pattern:
    """Read `unread`, `unread(*)` or `unread(kind)`."""
    if argument is not None and argument != "*" and argument not in _KINDS:
        near = get_close_matches(argument, _KINDS, n=1)
        cure = f"did you mean `{UNREAD}({near[0]})`?" if near else f"use one of {', '.join(_KINDS)}"
        raise PatternError(f"`{argument}` is not a kind of unread text; {cure}")
    return Pattern(text=text, tool=UNREAD, glob=None if argument == "*" else argument, effect=True)


class UnreadPatterns:
    """The patterns of a policy that speak of gaps, by kind."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._by_kind: Final[dict[GapKind, list[str]]] = {kind: [] for kind in GapKind}
        for pattern in patterns:
            for kind in GapKind if pattern.glob is None else (GapKind(pattern.glob),):
                self._by_kind[kind].append(pattern.text)

    def denials(self, gap: Gap) -> list[str]:
        """The patterns that a gap is met by."""
        return self._by_kind[gap.kind]
