"""Files of a project, found and read without being held up: regular ones only, and so much of each."""

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


def is_inside(path: str, project: str) -> bool:
    """Whether a path leads into the project, wherever its links go: to no file of the person."""
    root = os.path.realpath(project)
    return os.path.realpath(path).startswith(root.rstrip("/") + "/")


def leads_out(name: str) -> bool:
    """Whether a name or a pattern of a policy is none of a file in the project."""
    return name.startswith(("/", "~")) or ".." in name.split("/")


def find_file(name: str, project: str, home: str) -> str:
    """The path of a file a policy names; empty where it leads out of the project by a link, or by no home."""
    if name.startswith("~/"):
        return f"{home}/{name[2:]}" if home else ""
    path = os.path.join(project, name)
    return path if name.startswith("/") or is_inside(path, project) else ""


def read_note(name: str, path: str, most: int, rest: str) -> str:
    """The beginning of a file under its name, and what stands for the rest; empty where there is nothing."""
    content = read_file(path, most + 1) if path else None
    text = (content or b"")[:most].decode("utf-8", "replace").strip()
    return f"{name}:\n{text}{rest if len(content or b'') > most else ''}" if text else ""


class ProjectFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a pattern means."""

    name: str  # relative to the project
    path: str
    changed: float


def find_files(project: str, pattern: str) -> list[ProjectFile]:
    """What a pattern means, in the order of names; `**` stands for any folders, links are not followed."""
    looked = iter(range(_MOST_ENTRIES))
    walked = _walk(os.path.realpath(project), "", pattern.strip("/").split("/"), looked)
    found = {one.name: one for one, _ in zip(walked, range(_MOST_FOUND), strict=False)}
    return [found[name] for name in sorted(found)]


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
    """What lies in a folder; of a name without a wildcard only itself, however full the folder is."""
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
    """What was read out of files, until they change."""

    def __init__(self, parse: Callable[[bytes], Read]) -> None:
        self._parse: Final = parse
        self._parsed: Final[BoundedDict[str, tuple[tuple[int, int, int], Read]]] = BoundedDict(_REMEMBERED)

    def read(self, path: str) -> Read | None:
        """What stands in a file; None when it cannot be read."""
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
