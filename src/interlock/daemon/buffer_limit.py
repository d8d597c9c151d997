"""What all clients together have sent ahead or not fetched: held in memory, so it has one limit."""

from __future__ import annotations

from typing import Final

_LIMIT: Final = 256 * 1024 * 1024  # sixteen of the largest calls at once


class Buffered:
    """The bytes of all connections; each reports how its own share changes."""

    def __init__(self, limit: int = _LIMIT) -> None:
        self._limit: Final = limit
        self.bytes = 0

    @property
    def full(self) -> bool:
        """Whether whoever adds more must go."""
        return self.bytes > self._limit
