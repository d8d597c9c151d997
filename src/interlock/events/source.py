"""Where a rule was written."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec


class Layer(IntEnum):
    """Who wrote a policy; a later layer can only tighten what an earlier one says."""

    MANAGED = 0
    USER = 1
    PROJECT = 2
    SESSION = 3

    def __str__(self) -> str:
        return self.name.lower()

    @property
    def trusted(self) -> bool:
        """Whether this layer may also loosen: grant, observe, fail open."""
        return self <= Layer.USER


# How the file of a rule begins that comes with the package.
PACK_SOURCE: Final = "pack:"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The layer, file and line a hook comes from."""

    layer: Layer = Layer.USER
    file: str = "<code>"
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file
