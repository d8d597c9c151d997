"""Files that a new window is given to read at once, within what may be spent on them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Final

import msgspec

MOST_BYTES: Final = 32 * 1024  # of all files together
MOST_FILES: Final = 20
_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
# We read for an agent what no rule has judged: a link named like a directive must not lead to a secret.
_TEXTS: Final = frozenset({".md", ".mdx", ".markdown", ".txt", ".rst"})


class Preload(msgspec.Struct, frozen=True, kw_only=True):
    """A file, and what of it goes into the window."""

    path: str
    content: str | None = None  # None where it cannot be read, or not by us
    left_out: int = 0  # bytes beyond what may be spent


def read_preloads(
    paths: Iterable[str], *, within: Sequence[str], most: int = MOST_BYTES, end: bool = False
) -> tuple[Preload, ...]:
    """Read text files that really lie below one of some folders, in order, until `most` bytes are spent.

    A relative path starts at the first folder. Of a file cut short its end is kept where asked.
    """
    folders = tuple(os.path.realpath(folder) for folder in within)
    found: list[Preload] = []
    left = most
    for path in tuple(dict.fromkeys(paths))[:MOST_FILES]:
        real = _allowed(path, folders)
        content, size = _read(real, left, end=end) if real else (None, 0)
        if content is None:
            found.append(Preload(path=path))
            continue
        left -= len(content)
        text = content.decode("utf-8", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
        found.append(Preload(path=path, content=text, left_out=max(0, size - len(content))))
    return tuple(found)


def _allowed(path: str, folders: Sequence[str]) -> str | None:
    """Where a path really leads, when that is a text below one of the folders."""
    if not folders or "\0" in path:
        return None
    real = PurePath(os.path.realpath(PurePath(folders[0], path)))
    inside = any(real.is_relative_to(folder) for folder in folders)
    return str(real) if inside and real.suffix.lower() in _TEXTS else None


def _read(path: str, most: int, *, end: bool) -> tuple[bytes | None, int]:
    try:
        descriptor = os.open(path, _READ)
    except OSError:
        return None, 0
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):  # nobody waits for a pipe to be written
            return None, 0
        size = status.st_size
        return os.pread(descriptor, max(0, most), max(0, size - most) if end else 0), size
    except OSError:
        return None, 0
    finally:
        os.close(descriptor)
