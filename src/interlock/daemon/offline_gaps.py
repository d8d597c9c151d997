"""Calls that were answered while no daemon could be reached, told to the ledger at the next start."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from interlock.redaction.redactor import KEYLESS

_LONGEST: Final = 8 * 1024 * 1024
_EVENT, _OUTCOME = 2, 3
_PARTS: Final = 5
_LONGEST_REASON: Final = 400


def take_gaps(path: Path) -> dict[str, Any] | None:
    """Put aside and read what shims noted; None when there is nothing. `drop_gaps` once it is recorded."""
    taken = _taken(path)
    try:
        # What a daemon took and did not live to record comes first.
        if not taken.exists():
            path.rename(taken)
        with os.fdopen(os.open(taken, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            lines = file.read(_LONGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    # Time, process, event, what became of it (`passed:`, `paused:`, `refused:`, `unrecorded:`), why.
    # A line cut short by a crash is left out.
    rows = [row for row in (line.split(" ", _PARTS - 1) for line in lines) if len(row) == _PARTS]
    if not rows:
        drop_gaps(path)
        return None
    outcomes = Counter(row[_OUTCOME].rstrip(":") for row in rows)
    return {
        "lost": len(rows),
        "why": "no daemon decided or recorded these calls",
        "first": rows[0][0],
        "last": rows[-1][0],
        "events": dict(Counter(row[_EVENT] for row in rows)),
        "outcomes": dict(outcomes),
    }


def note_gap(
    path: Path, event: str, why: str, *, outcome: str = "passed", clock: Callable[[], float] = time.time
) -> None:
    """Add a line for a call that passed; the native shim writes the same."""
    flat = KEYLESS.text(" ".join(why.split()))[:_LONGEST_REASON]
    _add(path, f"{int(clock())} {os.getpid()} {event or '-'} {outcome}: {flat}\n")


def note_lost(path: Path, count: int, *, clock: Callable[[], float] = time.time) -> None:
    """Add a line for each entry that a daemon could not record until its end."""
    line = f"{int(clock())} {os.getpid()} - unrecorded: the ledger could not be written\n"
    if count:
        _add(path, line * min(count, _LONGEST // len(line)))


def _add(path: Path, lines: str) -> None:
    with suppress(OSError):  # there is nobody to tell, and nothing left to stop
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
        try:
            os.write(file, lines.encode("utf-8", "replace"))
        finally:
            os.close(file)


def drop_gaps(path: Path) -> None:
    """Forget what was taken, now that it is in the ledger."""
    with suppress(OSError):  # then it is told once more at the next start, which is better than not at all
        _taken(path).unlink(missing_ok=True)


def _taken(path: Path) -> Path:
    return path.with_name(path.name + ".taken")
