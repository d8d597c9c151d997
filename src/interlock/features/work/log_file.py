"""An effort's log: entries at the end of a file, each under a heading with its time."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from interlock.features.work.errors import Code, RefusedError

LONGEST: Final = 64 * 1024  # bytes of one entry
_HEADING: Final = re.compile(r"##(?!#)[ \t]*")
_FENCE: Final = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_APPEND: Final = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def stamped(text: str, time: str) -> str:
    """The entry with its time in the first `##` heading; a text without one gets one."""
    body = text.strip()
    if not body:
        raise RefusedError(Code.VALIDATION_ERROR, "the entry is empty", "say what was done", field="text")
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
                raise _not_ours(path, "it is no plain file of its own")
            gap = b"\n" if status.st_size else b""
            stream.write(gap + entry.encode("utf-8", "replace"))
    except OSError as error:
        raise _not_ours(path, error.strerror or str(error)) from error


def _not_ours(path: Path, why: str) -> RefusedError:
    return RefusedError(
        Code.VALIDATION_ERROR,
        f"`{path}` cannot be written: {why}",
        "correct that and log it again",
        path=str(path),
    )
