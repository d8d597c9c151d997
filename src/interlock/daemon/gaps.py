"""Calls that passed while no daemon could be reached, told to the ledger at the next start."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

_LONGEST: Final = 8 * 1024 * 1024
_EVENT: Final = 2


def take_gaps(path: Path) -> dict[str, Any] | None:
    """Read and remove what shims noted; None when nothing passed unseen."""
    taken = path.with_name(path.name + ".taken")
    try:
        path.rename(taken)
        with taken.open("rb") as file:
            lines = file.read(_LONGEST).decode("utf-8", "replace").splitlines()
        taken.unlink()
    except OSError:
        return None
    # Time, process, event and reason; a line cut short by a crash is left out.
    rows = [row for row in (line.split(" ", 3) for line in lines) if len(row) > _EVENT]
    if not rows:
        return None
    return {
        "lost": len(rows),
        "why": "no daemon could be reached",
        "first": rows[0][0],
        "last": rows[-1][0],
        "events": dict(Counter(row[_EVENT] for row in rows)),
    }
