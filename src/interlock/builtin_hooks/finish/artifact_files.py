"""Files that a pattern means in a project, looked for so far and no further, and whether each is whole."""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Final

import msgspec

from interlock.builtin_hooks.project_files import MOST_BYTES, read_file

_MOST_ENTRIES: Final = 5_000  # looked at for one pattern: an agent waits
_MOST_FOUND: Final = 50
_HEAD: Final = 1_024
_HTML: Final = (b"<!doctype html", b"<html", b"<body", b"<head", b"<div", b"<p", b"<h1", b"<table")


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A file that a pattern means."""

    name: str  # relative to the project
    path: str
    changed: float


def files_of(project: str, pattern: str) -> list[Found]:
    """What a pattern means, in the order of names; `**` stands for any folders, links are not followed."""
    looked = iter(range(_MOST_ENTRIES))
    walked = _walk(os.path.realpath(project), "", pattern.strip("/").split("/"), looked)
    found = {one.name: one for one, _ in zip(walked, range(_MOST_FOUND), strict=False)}
    return [found[name] for name in sorted(found)]


def _walk(folder: str, below: str, parts: Sequence[str], looked: Iterator[int]) -> Iterator[Found]:
    first, rest = parts[0], parts[1:]
    if first == "**":
        yield from _walk(folder, below, rest or ["*"], looked)
    for name, path, kind in _entries(folder, first, looked):
        if first == "**" or not fnmatch.fnmatchcase(name, first):
            further = parts if first == "**" else ()
        else:
            further = rest
            if not rest and stat.S_ISREG(kind.st_mode):
                yield Found(name=f"{below}{name}", path=path, changed=kind.st_mtime)
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


def fault_of(found: Found) -> str | None:
    """Why a file is no artifact: it is empty, or not what its name says; None: it is whole."""
    content = read_file(found.path)
    if content is None:
        return "cannot be read"
    if not content.strip():
        return "is empty"
    ending = PurePath(found.name).suffix.lower()
    head = content[:_HEAD].lstrip().lower()
    if ending == ".json" and len(content) < MOST_BYTES and not _is_json(content):
        return "is no JSON"
    if ending in {".html", ".htm"} and not any(tag in content[: 64 * _HEAD].lower() for tag in _HTML):
        return "holds no HTML"
    if ending == ".pdf" and not head.startswith(b"%pdf-"):
        return "is no PDF"
    return None


def _is_json(content: bytes) -> bool:
    try:
        msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return False
    return True
