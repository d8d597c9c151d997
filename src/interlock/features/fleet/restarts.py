"""How one run of a watched agent ended, and whether, with which words and when it is started again."""

from __future__ import annotations

import signal
from typing import Final

import msgspec

_SIGNALS: Final = 128  # a shell's exit codes for those that a signal ended


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a process."""

    code: int  # negative: the signal that ended it
    seconds: float  # how long it ran
    stopped: bool = False  # by us, since its window was full
    interrupted: int | None = None  # the signal by which a person ended the watch

    @property
    def exit_code(self) -> int:
        """As a shell tells it."""
        return _SIGNALS - self.code if self.code < 0 else self.code

    @property
    def reason(self) -> str:
        """For people."""
        if self.stopped:
            return "its context window is full"
        if self.code >= 0:
            return "it ended" if self.code == 0 else f"it ended with exit code {self.code}"
        try:
            return f"it was ended by {signal.Signals(-self.code).name}"
        except ValueError:  # a number this system has no name for
            return f"it was ended by signal {-self.code}"


class SessionRemains(msgspec.Struct, frozen=True, kw_only=True):
    """What the last session of a run left behind."""

    session: str | None = None  # the host's id; None where no hook of it was heard of
    by_person: bool = False  # a person left it on purpose
    restart: str | None = None  # what was written for the next one when the window was full
    loop: str | None = None  # why a hook would have sent it back once more, beyond the host's cap
    effort: str | None = None  # how to go on with the effort it was at work on, while that is active
    finished: bool = False  # its effort is finished


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


def after(ended: RunEnd, left: SessionRemains) -> Again | Over:
    """What follows from the way a run ended: a person's word first, then what is left to do."""
    if ended.interrupted is not None:
        return Over(code=128 + ended.interrupted, why="interrupted")
    if left.by_person and not ended.stopped:
        return Over(code=ended.exit_code, why="you left it")
    return _again(ended, left) or _over(ended, left)


def _again(ended: RunEnd, left: SessionRemains) -> Again | None:
    if left.restart is not None:
        return Again(prompt=left.restart, why=ended.reason)
    if left.loop is not None:
        return Again(
            prompt=_LOOP.format(left.loop), why="a hook would have sent it back, and its host did not"
        )
    if left.effort is not None:
        return Again(prompt=left.effort, why=f"{ended.reason}, and its effort is not finished")
    return Again(prompt=None, why=ended.reason) if ended.code != 0 and not left.finished else None


def _over(ended: RunEnd, left: SessionRemains) -> Over:
    return Over(code=ended.exit_code, why="its effort is finished" if left.finished else ended.reason)


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
