"""What is remembered of an agent's calls as long as the daemon lives: what it was told, and what was done."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Generic, TypeVar

from interlock.features.work.efforts.guard_rules import FiredRule

_MOST: Final = 4_096  # sessions
_STEP: Final = 0.01  # of the window; less is not a news


class _SessionMemory:
    __slots__ = ("fired", "usage", "waited")

    def __init__(self) -> None:
        self.usage = 0.0
        self.fired: frozenset[str] = frozenset()
        self.waited = 0


class Advice:
    """By session; what is forgotten is said once more."""

    def __init__(self) -> None:
        self._told: Final[OrderedDict[int, _SessionMemory]] = OrderedDict()

    def is_fuller(self, session_id: int, usage: float) -> bool:
        """Whether the window has filled up since this was said last; it counts as said now."""
        told = self._of(session_id)
        if usage < told.usage + _STEP:
            return False
        told.usage = usage
        return True

    def new(self, session_id: int, fired: tuple[FiredRule, ...]) -> tuple[FiredRule, ...]:
        """The rules that did not hold at the last call."""
        if not fired and session_id not in self._told:
            return ()
        told = self._of(session_id)
        new = tuple(one for one in fired if one.rule_id not in told.fired)
        told.fired = frozenset(one.rule_id for one in fired)
        return new

    def waited(self, session_id: int) -> int:
        """How many calls were made while instructions were unread."""
        told = self._told.get(session_id)
        return told.waited if told else 0

    def wait(self, session_id: int, calls: int) -> None:
        """Keep that number."""
        if calls or session_id in self._told:
            self._of(session_id).waited = calls

    def _of(self, session_id: int) -> _SessionMemory:
        told = self._told.setdefault(session_id, _SessionMemory())
        if len(self._told) > _MOST:
            self._told.popitem(last=False)
        return told


Done = TypeVar("Done")
Call = tuple[str, str]  # session, and the host's id of the call
_MOST_CALLS: Final = 1_024


class DoneCalls(Generic[Done]):
    """What came of each; a call without an id is not remembered."""

    def __init__(self) -> None:
        self._done: Final[OrderedDict[Call, Done]] = OrderedDict()

    def get(self, call: Call) -> Done | None:
        """What came of a call, if it was done."""
        return self._done.get(call)

    def put(self, call: Call, came: Done) -> None:
        """Remember it."""
        if not call[1]:
            return
        self._done[call] = came
        if len(self._done) > _MOST_CALLS:
            self._done.popitem(last=False)
