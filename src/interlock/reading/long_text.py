"""Long shell texts: read apart from everything else, in a process that can be ended."""

from __future__ import annotations

import struct
from typing import Final, Protocol

import msgspec

from interlock.reading.command import Script

# A longer text is read elsewhere where others wait for the same process.
INLINE: Final = 2_048
HEAD: Final = struct.Struct("!I")


class LongReader(Protocol):
    """Reads a long text while others go on."""

    async def __call__(self, text: str, cwd: str, session: str) -> Script:
        """The text's script; a text that cannot be read in time is one gap."""


class Request(msgspec.Struct, frozen=True):
    """What a worker is asked."""

    text: str
    cwd: str
