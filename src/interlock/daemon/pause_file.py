"""The pause: while it lasts, calls pass that no daemon can be asked about. The shim reads the same file."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from interlock.files.own_files import write_whole
from interlock.store.clock import since_boot

LONGEST_SECONDS: Final = 8 * 3600
_FILE: Final = "pause"  # below the state folder
_ENDS: Final = re.compile(rb"([0-9]{1,12}) ([0-9]{1,12})\n")
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
_SIZE: Final = 32


def begin_pause(state: Path, end: int) -> None:
    """Let calls pass until then, in seconds of the clock on the wall, or until so much time has passed."""
    passed = int(since_boot()) + end - int(time.time())
    write_whole(state / _FILE, f"{end} {passed}\n".encode(), mode=0o600)


def end_pause(state: Path) -> bool:
    """Judge calls again; False where there was no pause."""
    try:
        (state / _FILE).unlink()
    except FileNotFoundError:
        return False
    return True


def is_paused(
    state: Path, *, clock: Callable[[], float] = time.time, passed: Callable[[], float] = since_boot
) -> bool:
    """Whether a pause is in force: written by us for us alone, and ending soon by both clocks."""
    try:
        file = os.open(state / _FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(file, "rb") as stream:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & _OTHERS_WRITE:
            return False
        content = _ENDS.fullmatch(stream.read(_SIZE))
    # The clock on the wall can be put back; the other one starts anew with the machine.
    return content is not None and all(
        now < int(end) <= now + LONGEST_SECONDS
        for now, end in ((clock(), content[1]), (passed(), content[2]))
    )
