"""How long ago something was, in a word as short as a column."""

from __future__ import annotations

import datetime as dt
from typing import Final

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def seconds_of(text: str | None) -> float | None:
    """A stored time as seconds since 1970; None where there is none."""
    return None if text is None else dt.datetime.fromisoformat(text).timestamp()


def age(then: float | None, now: float) -> str:
    """As in `12s`, `5m`, `3h` or `2d`; nothing where the time is not known."""
    if then is None:
        return ""
    seconds = max(0, int(now - then))
    return next((f"{seconds // size}{unit}" for unit, size in _UNITS if seconds >= size), "0s")
