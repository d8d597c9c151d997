"""Files under another name: hard links are found by device and inode, not by path."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Final

from interlock.effects.paths.globs import pattern_path

_WILD: Final = re.compile(r"[*?]")
# A folder with more entries is not searched to its end.
_MAX_ENTRIES: Final = 20_000

_Identity = tuple[int, int]


class ProtectedFiles:
    """The files that deny globs name outright, to be recognised under a name no glob knows.

    Counted are literal paths, `folder/**` with a literal folder, and a bare name or `**/name` in the project.
    """

    def __init__(self, globs: Iterable[str], home: str | None = None) -> None:
        own = os.path.expanduser("~") if home is None else home
        self._files: Final[list[tuple[str, str]]] = []  # path, the glob as written
        self._folders: Final[list[tuple[str, str]]] = []
        for written in globs:
            for glob in pattern_path(written, own):
                self._add(glob, written)

    def hit(self, path: str, base: str = "/") -> str | None:
        """The glob that names this file under another of its names, or None; relative globs start at base."""
        known = _several_names(os.path.join(base, path))
        if known is None:
            return None
        for file, written in self._files:
            if _identity(os.path.join(base, file)) == known:
                return written
        for folder, written in self._folders:
            if _holds(os.path.join(base, folder), known):
                return written
        return None

    def _add(self, glob: str, written: str) -> None:
        stem = re.sub(r"/\*+$", "", glob)
        if not _WILD.search(glob):
            self._files.append((glob, written))
        elif stem != glob and stem.strip("./") and not _WILD.search(stem):
            self._folders.append((stem, written))
        else:
            name = re.sub(r"^\*+/", "", glob)
            if not _WILD.search(name):
                self._files.append((name, written))


def _several_names(path: str) -> _Identity | None:
    """The identity of a file that has more than one name; folders have but one."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    several = found.st_nlink > 1 and not stat.S_ISDIR(found.st_mode)
    return (found.st_dev, found.st_ino) if several else None


def _identity(path: str) -> _Identity | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _holds(folder: str, wanted: _Identity) -> bool:
    """Whether a file lies below a folder on the same device."""
    left = _MAX_ENTRIES
    for entry in _below(folder):
        left -= 1
        if not left:
            return False
        # The listing gives the inode for nothing; only a candidate is looked at.
        if entry.inode() == wanted[1] and _identity(entry.path) == wanted:
            return True
    return False


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except (OSError, ValueError):
            continue
