"""The files of an effort in its task's folder: their names, and the log that entries are added to."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from interlock.features.work.errors import Code, RefusedError

LOG: Final = "LOG"
_NOT_PLAIN: Final = re.compile(r"[^A-Z0-9]+")
_ARTIFACT: Final = re.compile(r"(?P<ordinal>[1-9]\d{0,8})_(?P<name>[^/]*)\.md", re.IGNORECASE)
_LONGEST: Final = 80
_MOST_NAMES: Final = 10_000  # of a folder; one with more is not a task's


class Artifact(msgspec.Struct, frozen=True, kw_only=True):
    """A file of an effort."""

    path: str
    changed: float  # seconds since the epoch
    size: int


def artifact_name(ordinal: int, skill: str, kind: str = LOG) -> str:
    """The name of an effort's file: `1_BRAINSTORM_LOG.md`."""
    return f"{ordinal}_{_plain_word(skill)}_{_plain_word(kind)}.md"


def handover_name(ordinal: int, skill: str, session: int) -> str:
    """The file a session writes its handover to: `1_BRAINSTORM_HANDOVER_7.json`.

    Each has one of its own, for an agent's tool may refuse to write over a file it has not read.
    """
    return f"{ordinal}_{_plain_word(skill)}_HANDOVER_{session}.json"


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


def _plain_word(word: str) -> str:
    """A word as it stands in a name: a skill is named by whoever wrote it and leads to no other folder."""
    return _NOT_PLAIN.sub("_", word.upper()).strip("_")[:_LONGEST] or "WORK"


LONGEST: Final = 64 * 1024  # bytes of one entry
_HEADING: Final = re.compile(r"##(?!#)[ \t]*")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def stamp_entry(text: str, time: str) -> str:
    """The entry with its time in the first `##` heading; a text without one gets one."""
    body = text.strip()
    if not body:
        raise RefusedError(Code.VALIDATION_ERROR, "the entry is empty", "say what you did", field="text")
    if len(body.encode("utf-8", "replace")) > LONGEST:
        raise RefusedError(
            Code.VALIDATION_ERROR, f"the entry has more than {LONGEST:,} bytes", "name a file instead"
        )
    lines = body.splitlines()
    at = _first_heading(lines)
    if at is not None:
        lines[at] = _HEADING.sub(lambda _: f"## [{time}] ", lines[at], count=1).rstrip()
    elif len(lines) == 1:
        lines = [f"## [{time}] {body}"]
    else:
        lines = [f"## [{time}]", "", *lines]
    return "\n".join(lines) + "\n"


def _first_heading(lines: list[str]) -> int | None:
    """What stands between fences is an example, not a heading."""
    fence = None
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if found and fence is None:
            fence = found[1]
        elif found and found[1].startswith(fence or ""):
            fence = None
        elif fence is None and _HEADING.match(line):
            return number
    return None


def append_entry(path: Path, entry: str) -> None:
    """Write an entry at the end of a log, the folder made where it is missing.

    We write for an agent what no rule has judged: a log that is a link, or a second name of another file,
    could be the policy, so only a plain file of its own is taken.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.parent.resolve() != path.parent:
            raise _not_ours(path, "its folder is a link")
        file = os.open(path, _APPEND, 0o644)
        with os.fdopen(file, "wb") as stream:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
                raise _not_ours(path, "it is not a regular file")
            gap = b"\n" if status.st_size else b""
            stream.write(gap + entry.encode("utf-8", "replace"))
    except OSError as error:
        raise _not_ours(path, error.strerror or str(error)) from error


def _not_ours(path: Path, why: str) -> RefusedError:
    return RefusedError(
        Code.VALIDATION_ERROR,
        f"`{path}` cannot be written: {why}",
        "correct that and log again",
        path=str(path),
    )
