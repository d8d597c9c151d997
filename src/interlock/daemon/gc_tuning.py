"""How a process that answers for long looks after its memory."""

from __future__ import annotations

import gc
from typing import Final

_COLLECT_AFTER: Final = 20_000  # new objects; an event makes about fifty that live on for a while


def settle_memory() -> None:
    """What was loaded stays; looking through it for garbage every few hundred objects is lost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 20, 100)
    gc.enable()
