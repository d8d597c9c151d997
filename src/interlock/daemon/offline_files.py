"""Files in the state folder that work without a daemon: gaps, a pause, and whether prompts are judged."""

from __future__ import annotations

import os
import re
import stat
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from interlock.events.bounded_dict import BoundedDict
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.files.own_files import write_whole
from interlock.redaction.redactor import KEYLESS
from interlock.store.clock import since_boot

_LONGEST: Final = 8 * 1024 * 1024
_EVENT, _OUTCOME = 2, 3
_PARTS: Final = 5
_LONGEST_REASON: Final = 400


def take_gaps(path: Path) -> dict[str, Any] | None:
    """Move the file of gaps aside and read it; None if empty. Call `drop_gaps` once they are recorded."""
    aside = _path_aside(path)
    try:
        # Gaps that an earlier daemon moved aside and did not record come first.
        if not aside.exists():
            path.rename(aside)
        with os.fdopen(os.open(aside, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            lines = file.read(_LONGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    # Time, process, event, outcome (`passed:`, `paused:`, `refused:`, `unrecorded:`), reason.
    # A line that a crash cut short is skipped.
    rows = [row for row in (line.split(" ", _PARTS - 1) for line in lines) if len(row) == _PARTS]
    if not rows:
        drop_gaps(path)
        return None
    outcomes = Counter(row[_OUTCOME].rstrip(":") for row in rows)
    return {
        "lost": len(rows),
        "why": "these calls were made without a daemon and are not in the ledger",
        "first": rows[0][0],
        "last": rows[-1][0],
        "events": dict(Counter(row[_EVENT] for row in rows)),
        "outcomes": dict(outcomes),
    }


def note_gap(
    path: Path, event: str, why: str, *, outcome: str = "passed", clock: Callable[[], float] = time.time
) -> None:
    """Add a line for a call that passed; the native shim writes the same format."""
    flat = KEYLESS.text(" ".join(why.split()))[:_LONGEST_REASON]
    _add(path, f"{int(clock())} {os.getpid()} {event or '-'} {outcome}: {flat}\n")


def note_lost(path: Path, count: int, *, clock: Callable[[], float] = time.time) -> None:
    """Add a line for each entry that the daemon could not write before its end."""
    line = f"{int(clock())} {os.getpid()} - unrecorded: the ledger could not be written\n"
    if count:
        _add(path, line * min(count, _LONGEST // len(line)))


def _add(path: Path, lines: str) -> None:
    with suppress(OSError):  # nobody to tell, and nothing to stop
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            os.write(file, lines.encode("utf-8", "replace"))
        finally:
            os.close(file)


def drop_gaps(path: Path) -> None:
    """Remove the gaps that `take_gaps` read, now that they are in the ledger."""
    with suppress(OSError):  # the next start records them once more, which is better than never
        _path_aside(path).unlink(missing_ok=True)


def _path_aside(path: Path) -> Path:
    return path.with_name(path.name + ".taken")


LONGEST_SECONDS: Final = 8 * 3600
_FILE: Final = "pause"  # below the state folder
_ENDS: Final = re.compile(rb"([0-9]{1,12}) ([0-9]{1,12})\n")
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_SIZE: Final = 32


def begin_pause(state: Path, end: int) -> None:
    """Let calls pass until `end`, a Unix time, and no longer than that by the clock since boot."""
    passed = int(since_boot()) + end - int(time.time())
    write_whole(state / _FILE, f"{end} {passed}\n".encode(), mode=0o600)


def end_pause(state: Path) -> bool:
    """Judge calls again; False if there was no pause."""
    try:
        (state / _FILE).unlink()
    except FileNotFoundError:
        return False
    return True


def is_paused(
    state: Path, *, clock: Callable[[], float] = time.time, passed: Callable[[], float] = since_boot
) -> bool:
    """Whether a pause is in force: only we can write its file, and both clocks say it ends soon."""
    try:
        file = os.open(state / _FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(file, "rb") as stream:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS_WRITE:
            return False
        content = _ENDS.fullmatch(stream.read(_SIZE))
    # The system clock can be set back; the other clock restarts with the machine.
    return content is not None and all(
        now < int(end) <= now + LONGEST_SECONDS
        for now, end in ((clock(), content[1]), (passed(), content[2]))
    )


NAME: Final = "prompts-judged"
_MOST: Final = 1_024  # projects at a time; an agent may visit any number of folders
PROMPTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})


def judges_prompts(hooks: tuple[Hook, ...]) -> bool:
    """Whether any of these hooks votes on prompts."""
    judges = (hook for hook in hooks if hook.handler.judges and not hook.observe)
    return any(PROMPTS.intersection(hook.events) for hook in judges)


class PromptsMark:
    """A file that says whether loaded policies judge prompts; the shim reads it when no daemon answers."""

    def __init__(self, state: Path) -> None:
        self._file: Final = state / NAME
        # Projects whose policies judge prompts; when the oldest is forgotten, the mark stays for the others.
        self._judging: Final = BoundedDict[str, None](_MOST)

    def follow(self, root: str, hooks: tuple[Hook, ...]) -> None:
        """Note a project's policy."""
        self._judging.pop(root, None)
        if judges_prompts(hooks):
            self._judging[root] = None
        with suppress(OSError):  # a full disk must not stop decisions; the next load tries again
            if self._judging:
                os.close(os.open(self._file, os.O_CREAT | os.O_WRONLY | os.O_NOFOLLOW, 0o600))
            else:
                self._file.unlink(missing_ok=True)
