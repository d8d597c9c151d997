"""Locks that the kernel gives back when their holder dies."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import Final


class FileLock:
    """An exclusive lock on a file; the file itself is never removed."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        self._file: int | None = None

    def take(self) -> bool:
        """Take the lock if nobody holds it."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def sign(self, text: str) -> None:
        """Write who holds it into the file."""
        if self._file is not None:
            with suppress(OSError):  # on a full disk: the name is for people, the lock is the kernel's
                os.ftruncate(self._file, 0)
                os.pwrite(self._file, text.encode(), 0)

    def release(self) -> None:
        """Give it back."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
