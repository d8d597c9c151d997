"""A daemon nobody can reach ends: its socket was removed, or another took the place."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

_log: Final = logging.getLogger(__name__)
LOOK_SECONDS: Final = 2.0


class OwnSocket:
    """The socket this daemon has just bound, told from any other at the same path."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._own: Final = _identity(path)

    @property
    def in_place(self) -> bool:
        """Whether the path still leads to it."""
        return self._own is not None and _identity(self._path) == self._own

    def remove(self) -> None:
        """Take it away, and never another's."""
        if self.in_place:
            with suppress(OSError):  # what is under way must still be answered; the next one replaces it
                self._path.unlink(missing_ok=True)

    async def watch(self, end: Callable[[], None], *, seconds: float = LOOK_SECONDS) -> None:
        """Call `end` once the path leads elsewhere."""
        while self.in_place:  # noqa: ASYNC110 - nobody tells when a file goes; looking is the only way
            await asyncio.sleep(seconds)
        _log.warning("the socket %s is gone or another's; nobody can reach this daemon", self._path)
        end()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
