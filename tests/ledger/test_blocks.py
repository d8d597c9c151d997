"""Laws of the blocks by which a session's and an actor's entries are found."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.records import record

from interlock.errors import LedgerError
from interlock.ledger.entry import BLOCK_SIZE
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database
from interlock.store.migrations import migrate, steps

MARKS = "SELECT kind, name, block FROM ledger_blocks"


def test_every_entry_of_a_session_is_on_its_pages(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """Across blocks, in groups of any size, newest first, none twice and none missing."""
    for first in range(0, 2 * BLOCK_SIZE, 7):
        record(writer, *range(first, first + 7))
    expected = [entry.seq for entry in LedgerReader(database).page(limit=10_000) if entry.session_id == "s1"]

    found, before = [], None
    while page := LedgerReader(database).page(Filter(session="s1"), limit=100, before=before):
        found += [entry.seq for entry in page]
        before = page[-1].seq

    assert found == expected
    assert len(found) > BLOCK_SIZE


def test_a_name_is_written_once_a_block(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """Two sessions and an actor in three blocks are nine marks, however many commits there were."""
    for number in range(BLOCK_SIZE // 2 + 2):
        record(writer, number, number + 1, number + 2, number + 3)

    assert len(database.execute(MARKS).fetchall()) == 9


def test_entries_that_moved_to_another_block_are_found_there(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """A place taken before another's commit counts only once it is final."""
    record(writer, *range(BLOCK_SIZE - 3))
    record(writer, 1, flush=False)
    with closing(open_database(path)) as connection:
        record(LedgerWriter(connection), 2, 4, 6)
    [moved] = writer.flush()

    assert moved.seq == BLOCK_SIZE + 1
    assert LedgerReader(database).page(Filter(session="s1"), limit=1) == [moved]


def test_a_mark_of_a_commit_that_failed_is_written_by_the_next(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """What was rolled back is not taken for written."""
    size = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {size}")
    with pytest.raises(LedgerError):
        record(writer, *range(500))
    database.execute("PRAGMA max_page_count = 1073741823")
    record(writer, 1, 2)

    assert [entry.seq for entry in LedgerReader(database).page(Filter(session="s1"))] == [1]
    assert verify(database).broken is None


@pytest.mark.req("L02")
@pytest.mark.parametrize("kind", ["session", "actor"])
def test_an_entry_hidden_from_lists_is_named(
    database: sqlite3.Connection, writer: LedgerWriter, kind: str
) -> None:
    """Taking a mark away leaves the chain whole and is found all the same."""
    record(writer, 1, 2, 3)
    database.execute("DELETE FROM ledger_blocks WHERE kind = ?", (kind,))

    broken = verify(database).broken

    assert broken is not None
    assert (broken.seq, broken.what) == (1, f"block: it cannot be found by its {kind}")


def test_a_ledger_of_before_is_found_by_its_blocks(tmp_path: Path) -> None:
    """Bringing an older database up to date marks what it holds."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        migrate(connection, path, [step for step in steps() if step.number < 6])
        row = (1, "op_1", "o", "t", "agent:main", "/w", "s1", None, None, None, b"{}", bytes(32), bytes(32))
        connection.execute(f"INSERT INTO ledger VALUES ({', '.join('?' * len(row))})", row)
        migrate(connection, path)

        assert set(connection.execute(MARKS)) == {("session", "s1", 0), ("actor", "agent:main", 0)}
