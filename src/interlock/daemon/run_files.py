"""The folders, the socket path and the locks of a daemon, which nobody else may touch."""

from __future__ import annotations

import fcntl
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from interlock.errors import InterlockError

MAX_SOCKET_PATH = 104


def make_private(folder: Path) -> None:
    """Make a folder of mode 0700, or refuse one that is a link, another's, or open to others."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        found = folder.lstat()
    except FileExistsError:
        raise InterlockError(f"`{folder}` is not a folder; remove it") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InterlockError(f"cannot create `{folder}`: {reason}; choose another home") from error
    if not stat.S_ISDIR(found.st_mode):
        raise InterlockError(f"`{folder}` is not a folder; remove it")
    if found.st_uid != os.getuid():
        raise InterlockError(f"`{folder}` belongs to another user; remove it or choose another home")
    if found.st_mode & 0o077:
        raise InterlockError(f"other users can open `{folder}`; run `chmod 700 {folder}`")


def check_socket_path(path: Path) -> None:
    """Refuse a path the kernel would cut off, or where something other than a socket stands."""
    if len(os.fsencode(path)) > MAX_SOCKET_PATH:
        raise InterlockError(
            f"the socket path `{path}` is longer than {MAX_SOCKET_PATH} bytes; choose a shorter home"
        )
    with suppress(OSError):  # nothing there, which is how it should be
        if not stat.S_ISSOCK(path.lstat().st_mode):
            # A link would let whoever made it choose who hears the calls, or what is removed.
            raise InterlockError(f"`{path}` is a link or not a socket; check it and remove it")


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
