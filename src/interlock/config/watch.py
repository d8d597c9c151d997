"""Notices changes of files by looking at them, cheaply enough to do it at every event."""

from __future__ import annotations

import os
import stat
from typing import TypeAlias

import msgspec

Stamp: TypeAlias = tuple[tuple[int, ...] | None, ...]


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """What to look at; two equal stamps mean that nothing has changed in between."""

    files: tuple[str, ...] = ()  # matter by content; what is no plain file is all the same
    folders: tuple[str, ...] = ()  # matter by what is in them
    places: tuple[str, ...] = ()  # paths that matter by being there

    def __add__(self, other: Watch) -> Watch:
        return Watch(
            files=self.files + other.files,
            folders=self.folders + other.folders,
            places=self.places + other.places,
        )

    def stamp(self) -> Stamp:
        """What tells one state from another."""
        return (*map(_file, self.files), *map(_folder, self.folders), *map(_place, self.places))


def _file(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return _content(found) if stat.S_ISREG(found.st_mode) else None


def _folder(path: str) -> tuple[int, ...] | None:
    try:
        return _content(os.stat(path))
    except (OSError, ValueError):
        return None


def _content(found: os.stat_result) -> tuple[int, ...]:
    # The change time too: the time of modification can be set back by whoever modified.
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)


def _place(path: str) -> tuple[int, ...] | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return (found.st_ino, found.st_dev)
