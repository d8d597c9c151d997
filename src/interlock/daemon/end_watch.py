"""When a daemon makes way: its socket is gone or another version is installed."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from interlock import version

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
        _log.warning(
            "the socket %s is gone or belongs to another process; nobody can reach this daemon", self._path
        )
        end()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


_VERSION: Final = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)


def installed_version(file: Path = Path(version.__file__)) -> str | None:
    """The version the files on disk have; None when they are gone or half written."""
    try:
        found = _VERSION.search(file.read_text("utf-8"))
    except OSError:
        return None
    return found.group(1) if found else None


async def watch_for_upgrade(
    replace: Callable[[], None], *, file: Path = Path(version.__file__), seconds: float = LOOK_SECONDS
) -> None:
    """Drain this daemon once it is the older one; the next call starts its successor."""
    while True:
        found = installed_version(file)  # one line of a small file; a thread for it would stay for good
        if found is not None and found != version.__version__:
            _log.info("version %s is installed; %s stops so that it can start", found, version.__version__)
            replace()
            return
        await asyncio.sleep(seconds)
