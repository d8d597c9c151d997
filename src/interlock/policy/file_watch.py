"""Notices changes of files by looking at them, cheaply enough to do it at every event."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias

import msgspec

Part: TypeAlias = tuple[int, ...]
Stamp: TypeAlias = tuple[Part | None, ...]
Look: TypeAlias = Callable[[str], Part | None]
Reads: TypeAlias = dict[str, Part | None]

_SEVERAL: Final[Part] = ()  # of a path that led to one file and then to another
_reads: ContextVar[Reads | None] = ContextVar("reads", default=None)


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """What to look at; two equal stamps mean that nothing has changed in between."""

    files: tuple[str, ...] = ()  # matter by content; anything but a plain file counts as absent
    folders: tuple[str, ...] = ()  # matter by what is in them
    places: tuple[str, ...] = ()  # paths that matter by being there
    ways: tuple[str, ...] = ()  # folders that matter by being folders, and no links

    def __add__(self, other: Watch) -> Watch:
        return Watch(**{name: getattr(self, name) + getattr(other, name) for name in self.__struct_fields__})

    def stamp(self) -> Stamp:
        """The present state, to be compared with another."""
        return tuple([look(path) for path, look in self._looks()])

    def agrees(self, stamp: Stamp, reads: Reads) -> bool:
        """Whether the files that were read by these paths are the ones of the stamp.

        A link that is swapped to and fro leaves both files as they were, so that a stamp from before the
        reading, or from after it, may be that of the other one.
        """
        return all(reads.get(path, part) == part for path, part in zip(self.files, stamp, strict=False))

    def _looks(self) -> list[tuple[str, Look]]:
        kinds = ((_file, self.files), (_folder, self.folders), (_inode, self.places), (_way, self.ways))
        return [(path, look) for look, paths in kinds for path in paths]

    def glance(self, stamp: Stamp) -> Glance:
        """A quick check, for every event, whether all is as it was at this stamp."""
        return Glance(self, stamp, [(*one, was) for one, was in zip(self._looks(), stamp, strict=True)])


class Glance:
    """A stamp that is compared often; of paths that were absent it only checks that they still are."""

    def __init__(self, watch: Watch, stamp: Stamp, looks: list[tuple[str, Look, Part | None]]) -> None:
        self._watch: Final = watch
        self._stamp: Final = stamp
        # A name with a zero in it is not a path, today or tomorrow.
        self._absent: Final = [path for path, _, was in looks if was is None and "\0" not in path]
        self._there: Final = [(path, look, was) for path, look, was in looks if was is not None]

    def unchanged(self) -> bool:
        """Whether a new stamp would be the same."""
        access = os.access
        for path in self._absent:
            if access(path, os.F_OK, follow_symlinks=False):
                return self._watch.stamp() == self._stamp  # of no use perhaps, as it was before
        return all(look(path) == was for path, look, was in self._there)


@contextmanager
def noting_reads() -> Iterator[Reads]:
    """Learn which files are read in the meantime, by the paths they are watched by."""
    reads: Reads = {}
    token = _reads.set(reads)
    try:
        yield reads
    finally:
        _reads.reset(token)


def note_read(path: str, file: int) -> None:
    """Say which file a path led to, by its descriptor."""
    if _reads.get() is not None:
        note_parts([(path, _content(os.fstat(file)))])


def note_parts(parts: Iterable[tuple[str, Part | None]]) -> None:
    """The same of paths that were looked at."""
    if (reads := _reads.get()) is not None:
        for path, part in parts:
            if reads.setdefault(path, part) != part:
                reads[path] = _SEVERAL


def _file(path: str) -> Part | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return _content(found) if stat.S_ISREG(found.st_mode) else None


def _folder(path: str) -> Part | None:
    try:
        return _content(os.stat(path))
    except (OSError, ValueError):
        return None


def _content(found: os.stat_result) -> Part:
    # The change time too: the time of modification can be set back by whoever modified.
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino, found.st_dev)


def _inode(path: str) -> Part | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return None
    return (found.st_ino, found.st_dev)


def _way(path: str) -> Part | None:
    try:
        return (stat.S_IFMT(os.lstat(path).st_mode),)
    except (OSError, ValueError):
        return None
