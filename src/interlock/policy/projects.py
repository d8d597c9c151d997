"""Which project a folder belongs to, and which folders above it bring a policy of their own."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from typing import Final

POLICY_FOLDER: Final = ".interlock"
OTHERS_FOLDER: Final = ".mentu"  # of a system whose policies we read where they stand
OTHERS_POLICY: Final = f"{OTHERS_FOLDER}/genesis.key"
POLICY_MARKS: Final = (POLICY_FOLDER, OTHERS_POLICY)
_MARKS: Final = (*POLICY_MARKS, ".git")


def project_root(cwd: str, known: Container[str] = ()) -> str:
    """The nearest folder at or above `cwd` that is a project of its own; else `cwd` itself."""
    return marked_root(cwd, known) or cwd


def marked_root(cwd: str, known: Container[str] = ()) -> str | None:
    """The nearest folder at or above `cwd` with a policy, a repository or a place in `known`."""
    for folder in folders_above(cwd):
        if folder in known or any(os.path.lexists(f"{folder}/{mark}") for mark in _MARKS):
            return folder
    return None


def way_to(cwd: str, root: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a real folder's root was found by: the folders it lies in, and the marks that were looked for."""
    ways = tuple(folders_above(cwd))
    looked = ways[: ways.index(root) + 1] if root else ways
    return ways, tuple(f"{folder}/{mark}" for folder in looked for mark in _MARKS)


def policy_folders(cwd: str, known: Container[str] = ()) -> list[str]:
    """Every folder at or above `cwd` that holds a policy or is in `known`, the outermost first.

    All of them, not the nearest: else a new `.interlock` or `.git` would lead out of the rules around it.
    """
    found = (
        folder
        for folder in folders_above(cwd)
        if folder in known or any(os.path.lexists(f"{folder}/{mark}") for mark in POLICY_MARKS)
    )
    return list(found)[::-1]


def folders_above(cwd: str) -> Iterator[str]:
    """`cwd` and the folders above it, without the root of the file system."""
    folder = cwd
    while folder and folder != os.sep:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def inside(path: str, folder: str) -> bool:
    """Whether a real path is a real folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
