"""Garbage collection in a process that runs for long."""

from __future__ import annotations

import gc
from typing import Final

_COLLECT_AFTER: Final = 20_000  # new objects; an event makes about fifty that stay for a while


def settle_memory() -> None:
    """Never collect what is loaded by now, and collect the rest seldom: both would only cost time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER, 20, 100)
    gc.enable()
