"""The files an effort writes into its task's folder: `1_BRAINSTORM_LOG.md`, its ordinal first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

import msgspec

LOG: Final = "LOG"
_NOT_PLAIN: Final = re.compile(r"[^A-Z0-9]+")
_ARTIFACT: Final = re.compile(r"(?P<ordinal>[1-9]\d{0,8})_(?P<name>[^/]*)\.md", re.IGNORECASE)
_LONGEST: Final = 80
_MOST_NAMES: Final = 10_000  # of a folder; one with more is no task's


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an effort."""

    path: str
    changed: float  # seconds since the epoch
    size: int


def artifact_name(ordinal: int, skill: str, kind: str = LOG) -> str:
    """The name of an effort's file: `1_BRAINSTORM_LOG.md`."""
    return f"{ordinal}_{_plain(skill)}_{_plain(kind)}.md"


def handover_name(ordinal: int, skill: str, session: int) -> str:
    """The file a session writes its handover to: `1_BRAINSTORM_HANDOVER_7.json`.

    Each has one of its own, for an agent's tool may refuse to write over a file it has not read.
    """
    return f"{ordinal}_{_plain(skill)}_HANDOVER_{session}.json"


def ordinal_of(name: str) -> int | None:
    """The effort a file belongs to; None for a file of no effort."""
    match = _ARTIFACT.fullmatch(name)
    return int(match["ordinal"]) if match else None


def own(names: Iterable[str], ordinal: int) -> tuple[str, ...]:
    """The files of one effort: `1_` begins no file of effort 10."""
    return tuple(name for name in names if ordinal_of(name) == ordinal)


def artifacts_in(folder: str, ordinal: int) -> tuple[Artifact, ...]:
    """The files of an effort, the newest first; none where the folder cannot be read."""
    found: list[Artifact] = []
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MOST_NAMES), entries, strict=False):
                if ordinal_of(entry.name) != ordinal or not entry.is_file(follow_symlinks=False):
                    continue
                status = entry.stat(follow_symlinks=False)
                found.append(Artifact(path=entry.path, changed=status.st_mtime, size=status.st_size))
    except (OSError, ValueError):
        return ()
    return tuple(sorted(found, key=lambda one: (-one.changed, one.path)))


def _plain(word: str) -> str:
    """A word as it stands in a name: a skill is named by whoever wrote it and leads to no other folder."""
    return _NOT_PLAIN.sub("_", word.upper()).strip("_")[:_LONGEST] or "WORK"
