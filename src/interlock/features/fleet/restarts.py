"""Whether an agent that ended is started again, with which words, and after how long."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.features.fleet.ended import Ended, Left

STEADY_SECONDS: Final = 60.0  # a run of that length is no crash at the start
LONGEST_PAUSE: Final = 60.0
_LOOP: Final = "Go on with what you were doing; you stopped before it was done: {}"


class Again(msgspec.Struct, frozen=True, kw_only=True):
    """Start it once more."""

    prompt: str | None  # None: as it was started last
    why: str


class Over(msgspec.Struct, frozen=True, kw_only=True):
    """Leave it."""

    code: int
    why: str


def after(ended: Ended, left: Left) -> Again | Over:
    """What follows from the way a run ended: a person's word first, then what is left to do."""
    if ended.interrupted is not None:
        return Over(code=128 + ended.interrupted, why="interrupted")
    if left.by_person and not ended.stopped:
        return Over(code=ended.exit_code, why="you left it")
    return _again(ended, left) or _over(ended, left)


def _again(ended: Ended, left: Left) -> Again | None:
    if left.restart is not None:
        return Again(prompt=left.restart, why=ended.told)
    if left.loop is not None:
        return Again(
            prompt=_LOOP.format(left.loop), why="a hook would have sent it back, and its host did not"
        )
    if left.effort is not None:
        return Again(prompt=left.effort, why=f"{ended.told}, and its effort is not finished")
    return Again(prompt=None, why=ended.told) if ended.code != 0 and not left.finished else None


def _over(ended: Ended, left: Left) -> Over:
    return Over(code=ended.exit_code, why="its effort is finished" if left.finished else ended.told)


class Pauses:
    """The wait before a restart: none after a steady run, else longer and longer."""

    def __init__(self, first: float) -> None:
        self._first: Final = first
        self._short = 0  # runs in a row that were over at once

    def next(self, ran: float) -> float:
        """Seconds to wait after a run of so many."""
        if ran >= STEADY_SECONDS:
            self._short = 0
            return 0.0
        self._short += 1
        return min(LONGEST_PAUSE, self._first * 2.0 ** min(self._short - 1, 16))
