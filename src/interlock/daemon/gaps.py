"""Calls that were answered while no daemon could be reached, told to the ledger at the next start."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

_LONGEST: Final = 8 * 1024 * 1024
_EVENT, _OUTCOME = 2, 3
_PARTS: Final = 5


def take_gaps(path: Path) -> dict[str, Any] | None:
    """Put aside and read what shims noted; None when there is nothing. `drop_gaps` once it is recorded."""
    taken = _taken(path)
    try:
        # What a daemon took and did not live to record comes first.
        if not taken.exists():
            path.rename(taken)
        with taken.open("rb") as file:
            lines = file.read(_LONGEST).decode("utf-8", "replace").splitlines()
    except OSError:
        return None
    # Time, process, event, `passed:`, `paused:` or `refused:`, why; a line cut short by a crash is left out.
    rows = [row for row in (line.split(" ", _PARTS - 1) for line in lines) if len(row) == _PARTS]
    if not rows:
        drop_gaps(path)
        return None
    outcomes = Counter(row[_OUTCOME].rstrip(":") for row in rows)
    return {
        "lost": len(rows),
        "why": "no daemon decided these calls",
        "first": rows[0][0],
        "last": rows[-1][0],
        "events": dict(Counter(row[_EVENT] for row in rows)),
        "outcomes": dict(outcomes),
    }


def drop_gaps(path: Path) -> None:
    """Forget what was taken, now that it is in the ledger."""
    _taken(path).unlink(missing_ok=True)


def _taken(path: Path) -> Path:
    return path.with_name(path.name + ".taken")
