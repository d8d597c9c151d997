"""Where reading ends: the grammar does not go on, or the text is too much."""

from __future__ import annotations


class StuckError(Exception):
    """The grammar does not go on here; the text from here is unread."""

    def __init__(self, why: str, position: int, *, limit: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.position = position
        self.limit = limit


class TooMuchError(Exception):
    """More commands or files than anyone could have meant, or the same ones over and over."""
