"""What is put into a window: files at its beginning, and texts that wait for the next tool call."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

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


KEY: Final = "pendingInjections"  # where an effort's metadata has them
LONGEST: Final = 16 * 1024  # characters of all of them together
MOST: Final = 50


class Injection(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One text, and the rule it comes from."""

    rule_id: str
    content: str


def read_injections(value: Any) -> tuple[Injection, ...]:
    """The injections in a stored list; what is none is passed over."""
    listed = value[:MOST] if isinstance(value, list | tuple) else ()
    return tuple(
        Injection(rule_id=one["ruleId"], content=one["content"])
        for one in listed
        if isinstance(one, Mapping)
        and isinstance(one.get("ruleId"), str)
        and isinstance(one.get("content"), str)
    )


def take_injections(metadata: Mapping[str, Any]) -> tuple[tuple[Injection, ...], dict[str, Any]]:
    """What waits in an effort's metadata, and the metadata without it; every other key stays."""
    rest = {key: value for key, value in metadata.items() if key != KEY}
    return read_injections(metadata.get(KEY)), rest


def injection_text(injections: tuple[Injection, ...]) -> str:
    """The text for the model."""
    text = "\n\n".join(f"[Directive: {one.rule_id}]\n{one.content}" for one in injections)
    return (
        text if len(text) <= LONGEST else f"{text[:LONGEST]}\n… {len(text) - LONGEST:,} characters left out"
    )


def as_documents(injections: tuple[Injection, ...]) -> list[dict[str, Any]]:
    """The injections as they are kept."""
    return [{"ruleId": one.rule_id, "content": one.content} for one in injections]
