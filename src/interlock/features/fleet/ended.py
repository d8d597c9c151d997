"""How one run of a watched agent ended, and what its session tells about it."""

from __future__ import annotations

import signal
from typing import Final

import msgspec

_SIGNALS: Final = 128  # a shell's exit codes for those that a signal ended


class Ended(msgspec.Struct, frozen=True, kw_only=True):
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
    def told(self) -> str:
        """For people."""
        if self.stopped:
            return "its context window is full"
        if self.code >= 0:
            return "it ended" if self.code == 0 else f"it ended with exit code {self.code}"
        try:
            return f"it was ended by {signal.Signals(-self.code).name}"
        except ValueError:  # a number this system has no name for
            return f"it was ended by signal {-self.code}"


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What the last session of a run left behind."""

    session: str | None = None  # the host's id; None where no hook of it was heard of
    by_person: bool = False  # a person left it on purpose
    restart: str | None = None  # what was written for the next one when the window was full
    loop: str | None = None  # why a hook would have sent it back once more, beyond the host's cap
    effort: str | None = None  # how to go on with the effort it was at work on, while that is active
    finished: bool = False  # its effort is finished
