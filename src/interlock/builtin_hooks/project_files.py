"""Files of a project, read without being held up: regular ones only, and so much of each."""

from __future__ import annotations

import os
import stat
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Generic, TypeVar

Read = TypeVar("Read")

_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
MOST_BYTES: Final = 1 << 20
_KEPT: Final = 256


def read_file(path: str, most: int = MOST_BYTES) -> bytes | None:
    """The content, or so much of it; None for what is missing, unreadable or no regular file."""
    try:
        descriptor = os.open(path, _OPEN)  # a pipe is opened at once, and told from a file below
    except (OSError, ValueError):
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most)
    except OSError:
        return None
    finally:
        os.close(descriptor)


class Parsed(Generic[Read]):
    """What was read out of files, until they change."""

    def __init__(self, parse: Callable[[bytes], Read]) -> None:
        self._parse: Final = parse
        self._kept: Final[OrderedDict[str, tuple[tuple[int, int, int], Read]]] = OrderedDict()

    def of(self, path: str) -> Read | None:
        """What stands in a file; None when it cannot be read."""
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return None
        mark = (found.st_mtime_ns, found.st_size, found.st_ino)
        known = self._kept.get(path)
        if known is not None and known[0] == mark:
            return known[1]
        content = read_file(path)
        if content is None:
            return None
        parsed = self._parse(content)
        self._kept[path] = (mark, parsed)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return parsed
