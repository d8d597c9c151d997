"""The processes below one, and how they are ended: each by its own id."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import Final

_PROC: Final = Path("/proc")
_DYING_SECONDS: Final = 30.0


def end_tree(pid: int) -> None:
    """End a process, its group and its descendants; hooks run in groups of their own."""
    found = descendants(pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    for child in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    # A signal is sent at once and death comes a little later; nobody waits for what is not our child.
    end = time.monotonic() + _DYING_SECONDS
    while any(_cwd(child) for child in found) and time.monotonic() < end:
        time.sleep(0.01)


def descendants(pid: int) -> list[int]:
    """Every process below one, as far as the kernel tells; none where it has no /proc."""
    parents = {child: parent for child, parent in map(_parent, _processes()) if parent}
    found, new = [], [pid]
    while new:
        new = [child for child, parent in parents.items() if parent in new]
        found += new
    return found


def living_in(folder: Path) -> list[int]:
    """The processes that work in a folder; the dead that nobody has buried yet do not."""
    return [pid for pid in _processes() if _cwd(pid) == folder]


def _cwd(pid: int) -> Path | None:
    try:
        return (_PROC / str(pid) / "cwd").readlink()
    except OSError:  # it has ended, or is somebody else's
        return None


def _processes() -> list[int]:
    return [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit()] if _PROC.is_dir() else []


def _parent(pid: int) -> tuple[int, int]:
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", errors="replace")
    except OSError:  # it has ended meanwhile
        return pid, 0
    # The name in parentheses may hold anything; what follows the last one is plain.
    return pid, int(text.rpartition(")")[2].split()[1])
