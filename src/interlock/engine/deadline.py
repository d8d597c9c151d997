"""One deadline per event, on a clock that never jumps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

Clock = Callable[[], float]


class Deadline:
    """The moment by which everything about one event must be answered."""

    __slots__ = ("_clock", "_end")

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self._clock: Final = clock
        self._end: Final = clock() + seconds

    def remaining(self) -> float:
        """Seconds left, never below zero."""
        return max(0.0, self._end - self._clock())

    def cap(self, timeout: float, now: float | None = None) -> float:
        """The time a hook really has: its own timeout or what is left of the event's."""
        left = self._end - (self._clock() if now is None else now)
        return timeout if timeout < left else max(0.0, left)
