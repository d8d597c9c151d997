"""Our own files, read only while they are ours alone: no link is followed, no pipe waited for."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS: Final = 0o077


def read_private(path: Path, most: int = -1) -> bytes:
    """The content, or so much of it; raise PermissionError when somebody else could read or change it."""
    with os.fdopen(os.open(path, _READ), "rb") as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS:
            raise PermissionError(errno.EPERM, "it is not a file of yours alone (0600)", str(path))
        return file.read(most)
