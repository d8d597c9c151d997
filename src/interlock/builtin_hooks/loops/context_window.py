"""How much of a context window a session has filled, asked of whoever can read its transcript."""

from __future__ import annotations

from typing import Protocol


class Window(Protocol):
    """Reads what the host wrote down of its own counts."""

    def tokens(self, transcript: str) -> int | None:
        """What the newest answer of the model took in; None where nobody can tell."""
