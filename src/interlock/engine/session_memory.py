"""What an engine remembers of a session: which `once` hooks had their run, how often a stop was sent back."""

from __future__ import annotations

import threading
from typing import Final, Protocol


class OnceMemory(Protocol):
    """Claimed before the run, so that two calls at once cannot both run it."""

    def claim(self, session_id: str, key: str) -> bool:
        """Take the one run of a hook in a session; False when it is taken."""

    def release(self, session_id: str, key: str) -> None:
        """Give the run back, after a rejection or a timeout."""


class OnceInMemory:
    """The memory of an engine without a store; it lives as long as the process."""

    def __init__(self) -> None:
        self._taken: Final[set[tuple[str, str]]] = set()
        self._lock: Final = threading.Lock()

    def claim(self, session_id: str, key: str) -> bool:
        """Take the one run of a hook in a session; False when it is taken."""
        with self._lock:
            if (session_id, key) in self._taken:
                return False
            self._taken.add((session_id, key))
            return True

    def release(self, session_id: str, key: str) -> None:
        """Give the run back, after a rejection or a timeout."""
        with self._lock:
            self._taken.discard((session_id, key))


ALL: Final = "*"  # the count of all hooks together, for which the host has a cap


class Rounds(Protocol):
    """Counts blocks per session and hook; a new prompt of the session begins again at nothing."""

    def count(self, session_id: str, key: str) -> int:
        """The blocks so far in this turn."""

    def add(self, session_id: str, key: str) -> None:
        """One more."""

    def reset(self, session_id: str) -> None:
        """A new turn begins."""


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
