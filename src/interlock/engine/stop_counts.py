"""How often a stop has been sent back in one turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

ALL: Final = "*"  # the count of all hooks together, for which the host has a cap


class Rounds(Protocol):
    """Counts blocks per session and hook; a new prompt of the session begins again at nothing."""

    def count(self, session_id: str, key: str) -> int:
        """The blocks so far in this turn."""

    def add(self, session_id: str, key: str) -> None:
        """One more."""

    def reset(self, session_id: str) -> None:
        """A new turn begins."""


def counted(rounds: Rounds) -> Callable[[str, str], int]:
    """What an engine counts the blocks of a hook with that has `max_rounds`."""

    def one_more(session_id: str, key: str) -> int:
        rounds.add(session_id, key)
        return rounds.count(session_id, key)

    return one_more


class RoundsInMemory:
    """The counts of an engine without a store; they live as long as the process."""

    def __init__(self) -> None:
        self._counts: Final[dict[str, dict[str, int]]] = {}

    def count(self, session_id: str, key: str) -> int:
        """The blocks so far in this turn."""
        return self._counts.get(session_id, {}).get(key, 0)

    def add(self, session_id: str, key: str) -> None:
        """One more."""
        counts = self._counts.setdefault(session_id, {})
        counts[key] = counts.get(key, 0) + 1

    def reset(self, session_id: str) -> None:
        """A new turn begins."""
        self._counts.pop(session_id, None)
