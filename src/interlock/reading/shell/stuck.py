"""The place where the grammar ends."""

from __future__ import annotations


class StuckError(Exception):
    """The grammar does not go on here; the text from here is unread."""

    def __init__(self, why: str, position: int, *, limit: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.position = position
        self.limit = limit
