"""Names for entries: `op_` and 16 hexadecimal digits."""

from __future__ import annotations

import secrets
from typing import Final

_BITS: Final = 0xFFFFFFFF


class EntryIds:
    """Eight digits of the second, eight of a counter that begins at random in each process.

    Within a process no name is given twice. They grow with time, so the index of names grows at one end.
    """

    def __init__(self, start: int | None = None) -> None:
        self._count = secrets.randbits(32) if start is None else start
        self._second, self._prefix = -1, ""

    def next(self, seconds: float) -> str:
        """A name for something that happens now."""
        self._count = (self._count + 1) & _BITS
        if (second := int(seconds) & _BITS) != self._second:
            self._second, self._prefix = second, f"op_{second:08x}"
        return f"{self._prefix}{self._count:08x}"
