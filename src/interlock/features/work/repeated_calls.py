"""Calls that were carried out by a hook, so that one that is judged again is not done again."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Generic, TypeVar

Done = TypeVar("Done")
Call = tuple[str, str]  # session, and the host's id of the call
_MOST: Final = 1_024


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
        if len(self._done) > _MOST:
            self._done.popitem(last=False)
