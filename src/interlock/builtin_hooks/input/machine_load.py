"""What is left of this machine: room on a disk, memory, and how busy it is."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

MB: Final = 1_000_000
_MEMINFO: Final = Path("/proc/meminfo")
_AVAILABLE: Final = re.compile(rb"^MemAvailable:\s+(\d+) kB", re.MULTILINE)
_SECONDS: Final = 1.0  # for so long one look is enough
_KEPT: Final = 64


class Left(NamedTuple):
    """In megabytes, and in waiting programs per processor; None: nobody here can tell."""

    disk: float | None
    memory: float | None
    load: float | None


class Machine:
    """Looks at most once a second per folder."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock: Final = clock
        self._seen: Final[dict[str, tuple[float, Left]]] = {}

    def left(self, folder: str) -> Left:
        """What is left, as seen from a folder."""
        now = self._clock()
        known = self._seen.get(folder)
        if known is not None and now - known[0] < _SECONDS:
            return known[1]
        if len(self._seen) >= _KEPT:
            self._seen.clear()
        found = Left(_disk(folder), _memory(), _load())
        self._seen[folder] = now, found
        return found


def _disk(folder: str) -> float | None:
    """Room for a plain user: what is kept back for the system is none."""
    try:
        found = os.statvfs(folder)
    except (OSError, ValueError):
        return None
    return found.f_bavail * found.f_frsize / MB


def _memory() -> float | None:
    try:
        match = _AVAILABLE.search(_MEMINFO.read_bytes())
    except OSError:
        match = None
    if match is not None:
        return int(match[1]) * 1024 / MB
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / MB
    except (OSError, ValueError):
        return None


def _load() -> float | None:
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        return None
