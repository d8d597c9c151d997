"""Finds and reads files of a project without blocking: only regular files, up to a size."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, TypeVar

import msgspec

from interlock.events.bounded_dict import BoundedDict

Read = TypeVar("Read")

_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
MOST_BYTES: Final = 1 << 20
_REMEMBERED: Final = 256  # parsed files
_MOST_ENTRIES: Final = 5_000  # looked at for one pattern: an agent waits
_MOST_FOUND: Final = 50


def read_file(path: str, most: int = MOST_BYTES) -> bytes | None:
    """The content up to a size; None if it is missing, unreadable or not a regular file."""
    try:
        descriptor = os.open(path, _OPEN)  # does not block on a pipe
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


def is_inside(path: str, project: str) -> bool:
    """Whether a path leads into the project after following all links."""
    root = os.path.realpath(project)
    return os.path.realpath(path).startswith(root.rstrip("/") + "/")


def leads_out(name: str) -> bool:
    """Whether a name or pattern in a policy is not about a file in the project."""
    return name.startswith(("/", "~")) or ".." in name.split("/")


def find_file(name: str, project: str, home: str) -> str:
    """The path of a file in a policy; empty if a link leads out of the project, or there is no home."""
    if name.startswith("~/"):
        return f"{home}/{name[2:]}" if home else ""
    path = os.path.join(project, name)
    return path if name.startswith("/") or is_inside(path, project) else ""


def read_note(name: str, path: str, most: int, rest: str) -> str:
    """The beginning of a file under its name, then `rest` if it is longer; empty if there is nothing."""
    content = read_file(path, most + 1) if path else None
    text = (content or b"")[:most].decode("utf-8", "replace").strip()
    return f"{name}:\n{text}{rest if len(content or b'') > most else ''}" if text else ""


class ProjectFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that matches a pattern."""

    name: str  # relative to the project
    path: str
    changed: float


def find_files(project: str, pattern: str) -> list[ProjectFile]:
    """The files that match a pattern, by name; `**` matches any folders, links are not followed."""
    budget = iter(range(_MOST_ENTRIES))
    matches = _walk(os.path.realpath(project), "", pattern.strip("/").split("/"), budget)
    files = {file.name: file for file, _ in zip(matches, range(_MOST_FOUND), strict=False)}
    return [files[name] for name in sorted(files)]


def _walk(folder: str, below: str, parts: Sequence[str], looked: Iterator[int]) -> Iterator[ProjectFile]:
    first, rest = parts[0], parts[1:]
    if first == "**":
        yield from _walk(folder, below, rest or ["*"], looked)
    for name, path, kind in _entries(folder, first, looked):
        if first == "**" or not fnmatch.fnmatchcase(name, first):
            further = parts if first == "**" else ()
        else:
            further = rest
            if not rest and stat.S_ISREG(kind.st_mode):
                yield ProjectFile(name=f"{below}{name}", path=path, changed=kind.st_mtime)
        if further and stat.S_ISDIR(kind.st_mode):
            yield from _walk(path, f"{below}{name}/", further, looked)


def _entries(folder: str, part: str, looked: Iterator[int]) -> Iterator[tuple[str, str, os.stat_result]]:
    """The entries of a folder; a name without a wildcard is looked up without listing the folder."""
    names = [part]
    if any(mark in part for mark in "*?["):
        try:
            with os.scandir(folder) as found:
                names = sorted(entry.name for entry, _ in zip(found, looked, strict=False))
        except OSError:
            return
    for name in names:
        path = f"{folder}/{name}"
        try:
            yield name, path, os.lstat(path)
        except (OSError, ValueError):
            continue


class ParsedFiles(Generic[Read]):
    """Parses files, and remembers the result until they change."""

    def __init__(self, parse: Callable[[bytes], Read]) -> None:
        self._parse: Final = parse
        self._parsed: Final[BoundedDict[str, tuple[tuple[int, int, int], Read]]] = BoundedDict(_REMEMBERED)

    def read(self, path: str) -> Read | None:
        """The parsed content; None if the file cannot be read."""
        try:
            found = os.stat(path)
        except (OSError, ValueError):
            return None
        version = (found.st_mtime_ns, found.st_size, found.st_ino)
        known = self._parsed.get(path)
        if known is not None and known[0] == version:
            return known[1]
        content = read_file(path)
        if content is None:
            return None
        parsed = self._parse(content)
        self._parsed[path] = (version, parsed)
        return parsed
