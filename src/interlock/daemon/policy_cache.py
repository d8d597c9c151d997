"""What was found for a folder before, for as long as nothing on the way to it has changed."""

from __future__ import annotations

from typing import Final, Generic, TypeVar

from interlock.policy.file_watch import Glance

T = TypeVar("T")
Where = tuple[str, str | None]  # the folder of an event, and its session's own project
_MOST: Final = 1_024  # folders at a time; an agent may visit any number


class FoundBefore(Generic[T]):
    """Asked at every event: a few looks instead of finding the same once more."""

    def __init__(self) -> None:
        self._found: Final[dict[Where, tuple[T, tuple[Glance, ...]]]] = {}

    def get(self, where: Where) -> T | None:
        """What was found, unless one of its glances sees a change."""
        if (known := self._found.get(where)) is None:
            return None
        found, glances = known
        for glance in glances:
            if not glance.unchanged():
                return None
        return found

    def put(self, where: Where, found: T, *glances: Glance) -> None:
        """Remember it for as long as nothing changes that these look at."""
        if len(self._found) >= _MOST:
            self._found.clear()
        self._found[where] = (found, glances)

    def clear(self) -> None:
        """Everything is to be found anew."""
        self._found.clear()
