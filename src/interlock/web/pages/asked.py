"""Numbers as addresses hold them."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = 18  # the database takes no longer number


def seq_of(text: str | None) -> int | None:
    """A seq; None for what is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
