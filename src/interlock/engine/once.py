"""Remembering which `once` hooks have had their run."""

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
