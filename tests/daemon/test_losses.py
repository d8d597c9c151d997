"""Laws of what could not be recorded."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from interlock.daemon.group_commit import Losses
from interlock.ledger.entry import Entry
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


def lost(connection: sqlite3.Connection) -> list[Entry]:
    """Entries that were never written."""
    times = iter([1_700_000_000.0, 1_700_000_002.0, 1_700_000_001.0])
    writer = LedgerWriter(connection, clock=lambda: next(times))
    writer.append("decision", "a", "", {"event": "PreToolUse"})
    writer.append("decision", "a", "", {"event": "Stop"})
    writer.append("undelivered", "a", "", {"event": "Stop"})
    return list(writer.entries)


@pytest.mark.req("F03")
def test_a_gap_tells_how_many_of_which_kinds_and_when(tmp_path: Path) -> None:
    """Clocks jump: the first time is the smallest."""
    losses = Losses()
    with closing(open_database(tmp_path / "db" / "interlock.db")) as connection:
        losses.add(lost(connection))

    assert losses.body() == {
        "lost": 3,
        "why": "the ledger could not be written",
        "open_passes": 0,
        "ops": {"decision": 2, "undelivered": 1},
        "events": {"PreToolUse": 1, "Stop": 2},
        "first": "2023-11-14T22:13:20.000Z",
        "last": "2023-11-14T22:13:22.000Z",
    }


def test_a_gap_that_was_lost_itself_is_not_counted_twice(tmp_path: Path) -> None:
    """What it told is told by the next one; another's gap counts."""
    losses = Losses()
    with closing(open_database(tmp_path / "db" / "interlock.db")) as connection:
        losses.add(lost(connection))
        writer = LedgerWriter(connection)
        writer.append("gap", "system", "", losses.body())
        writer.append("gap", "system", "", {"lost": 5, "why": "no daemon decided these calls"})
        losses.add(writer.entries)

    assert losses.count == 4
