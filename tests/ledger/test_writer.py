"""Laws of appending: all or nothing, in order, and what fails leaves the chain where it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.records import holds, record, rows

from interlock.errors import LedgerError, StoreError
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read
from interlock.store.statements import statements


def test_nothing_is_stored_before_the_flush_and_everything_after(path: Path, writer: LedgerWriter) -> None:
    """Pending entries have their places; another process sees them when flush has returned."""
    taken = record(writer, 1, 2, 3, flush=False)

    with closing(open_to_read(path)) as other:
        assert (writer.pending, len(rows(other))) == (3, 0)
        assert writer.flush() == taken
        assert (writer.pending, len(rows(other))) == (0, 3)


def test_a_flush_of_nothing_writes_nothing(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """Without pending entries there is no transaction."""
    statements: list[str] = []
    database.set_trace_callback(statements.append)

    assert writer.flush() == []
    assert statements == []


def test_one_flush_is_one_transaction(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """However many entries wait, there is one commit."""
    statements: list[str] = []
    database.set_trace_callback(statements.append)
    record(writer, *range(20))

    assert statements.count("COMMIT") == 1
    assert statements[0] == "BEGIN IMMEDIATE"


@pytest.mark.parametrize("count", [1, 15, 16, 17, 32, 50])
def test_however_many_are_committed_together_each_stands_as_it_was_taken(
    database: sqlite3.Connection, writer: LedgerWriter, count: int
) -> None:
    """Rows go in alone or sixteen at a time: what is stored is what was appended, in its order."""
    taken = record(writer, *range(count))

    assert database.execute(statements("ledger")["all"]).fetchall() == taken
    assert holds(rows(database))


def test_an_entry_alone_is_inserted_without_a_look_and_stands_as_it_was_taken(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """The insert itself finds out where the chain ends; another process sees it when flush has returned."""
    taken = record(writer, 1, 2)
    asked: list[str] = []
    database.set_trace_callback(asked.append)
    taken += record(writer, 3)

    assert ["INSERT INTO ledger" in text for text in asked] == [False, True, False]  # begun and committed
    with closing(open_to_read(path)) as other:
        assert other.execute(statements("ledger")["all"]).fetchall() == taken
        assert holds(rows(other))


HALF_READ = "SELECT kind FROM ledger_blocks"
HALF_WRITTEN = (
    "INSERT INTO ledger_blocks (kind, name, block) VALUES ('actor', 'a', 0), ('actor', 'b', 0) RETURNING name"
)


@pytest.mark.req("D01")
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("statement", [HALF_READ, HALF_WRITTEN], ids=["half read", "half written"])
def test_what_was_recorded_is_lasting_whatever_else_the_connection_is_at(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter, statement: str, count: int
) -> None:
    """Nothing can be committed while a statement that writes has rows left: then it is refused."""
    record(writer, 1, 2)
    unfinished = database.execute(statement)
    assert unfinished.fetchone() is not None
    try:
        recorded = len(record(writer, *range(count)))
    except LedgerError:
        recorded = 0

    assert (recorded == 0) == (statement == HALF_WRITTEN)
    with closing(open_to_read(path)) as other:  # what a second connection does not see, a crash would take
        assert len(rows(other)) == 2 + recorded
    unfinished.close()
    assert [entry.seq for entry in record(writer, 7)] == [3 + recorded]
    assert verify(database).broken is None


def test_an_entry_alone_is_placed_after_anothers_commit(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """Alone too an entry moves behind what another process wrote since it was taken."""
    record(writer, 1, 2)
    record(writer, 3, flush=False)
    with closing(open_database(path)) as connection:
        record(LedgerWriter(connection), 7, 8)

    assert [entry.seq for entry in writer.flush()] == [5]
    assert holds(rows(database))
    assert verify(database).entries == 5


def test_an_entry_alone_is_not_recorded_inside_a_transaction_of_somebody_else(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """It would be lost with that transaction, after it was called recorded."""
    record(writer, 1, 2)
    database.execute("BEGIN")
    with pytest.raises(LedgerError):
        record(writer, 3)
    if database.in_transaction:
        database.execute("ROLLBACK")

    assert len(rows(database)) == 2
    assert [entry.seq for entry in record(writer, 4)] == [3]


@pytest.mark.parametrize("name", ["insert", "insert_next", "insert_16"])
def test_appending_makes_no_table_of_its_own(database: sqlite3.Connection, name: str) -> None:
    """A list in the condition of an index would be made into a table for every entry that is appended."""
    statement = statements("ledger")[name]
    plan = database.execute(f"EXPLAIN {statement}", [None] * statement.count("?")).fetchall()

    assert "OpenWrite" in {row[1] for row in plan}
    assert "OpenEphemeral" not in {row[1] for row in plan}


def test_a_new_writer_goes_on_where_the_last_one_ended(path: Path) -> None:
    """The chain outlives the process."""
    for _ in range(3):
        with closing(open_database(path)) as connection:
            record(LedgerWriter(connection), 1, 2)

    with closing(open_to_read(path)) as connection:
        assert len(rows(connection)) == 6
        assert holds(rows(connection))


@pytest.mark.req("D03", "M64")
def test_a_locked_ledger_is_an_error_at_once_and_nothing_stays_pending(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """While another holds the lock nothing is recorded; afterwards the chain goes on without a gap."""
    record(writer, 1)
    with closing(open_database(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        record(writer, 2, 3, flush=False)

        with pytest.raises(LedgerError, match="another process has locked the database"):
            writer.flush()
        assert (writer.pending, writer.head.seq) == (0, 1)
        other.execute("ROLLBACK")

    assert [entry.seq for entry in record(writer, 4, 5)] == [2, 3]
    assert holds(rows(database))


@pytest.mark.req("D02")
def test_a_database_that_may_not_grow_is_closed_and_recovers(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """A full database records nothing of the group, lives, and goes on when there is room."""
    record(writer, 1)
    size = database.execute("PRAGMA page_count").fetchone()[0]
    database.execute(f"PRAGMA max_page_count = {size}")

    with pytest.raises(LedgerError, match="the disk is full"):
        record(writer, *range(500))
    assert (writer.pending, writer.head.seq, len(rows(database))) == (0, 1, 1)

    database.execute("PRAGMA max_page_count = 1073741823")
    assert [entry.seq for entry in record(writer, 2)] == [2]
    assert verify(database).broken is None


@pytest.mark.req("D03")
def test_a_read_only_database_is_closed(path: Path, writer: LedgerWriter) -> None:
    """Where nothing can be written the error says why."""
    record(writer, 1)
    with closing(open_to_read(path)) as reading:
        reading_writer = LedgerWriter(reading)
        with pytest.raises(LedgerError, match="read-only"):
            record(reading_writer, 2)


def test_what_waits_for_the_disk_is_done_after_it_and_once(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """Nobody is told of what could not be kept, and one failure does not stop the next."""
    done: list[str] = []

    def fail() -> None:
        raise StoreError("nobody could be told")

    writer.join()
    writer.append("x", "system", "", {})
    writer.after_commit(lambda: done.append("undone"))
    database.execute("ROLLBACK")
    with pytest.raises(LedgerError):
        writer.flush()
    writer.join()
    writer.after_commit(lambda: done.append("without an entry"))
    writer.flush()
    writer.append("x", "system", "", {})
    writer.after_commit(fail)
    writer.after_commit(lambda: done.append("kept"))
    assert not done
    writer.flush()
    writer.flush()

    assert done == ["kept"]


@pytest.mark.req("D03")
@pytest.mark.parametrize("suffix", ["", "-wal"])
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_taken_away_is_noticed(path: Path, writer: LedgerWriter, suffix: str, how: str) -> None:
    """What would go to a deleted file is not recorded, and the error asks for a new connection."""
    record(writer, 1)
    file = path.with_name(path.name + suffix)
    moved = file.rename(path.parent / "moved")
    if how == "replaced":
        file.write_bytes(moved.read_bytes())

    with pytest.raises(LedgerError, match="replaced or deleted") as caught:
        record(writer, 2)
    assert caught.value.reopen
    assert writer.pending == 0


@pytest.mark.req("L02", "L03")
@pytest.mark.parametrize(
    "harm", ["DELETE FROM ledger WHERE seq > 2", "UPDATE ledger SET hash = zeroblob(32) WHERE seq = 4"]
)
def test_an_end_that_was_cut_or_rewritten_under_a_writer_is_not_built_upon(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter, harm: str
) -> None:
    """A running writer remembers the end and refuses one that does not contain it."""
    record(writer, 1, 2, 3, 4)
    with closing(open_database(path)) as other:
        other.execute(harm)

    with pytest.raises(LedgerError, match="entry 4 was changed or removed") as caught:
        record(writer, 5)
    assert caught.value.reopen
    assert not database.in_transaction


@pytest.mark.req("L04")
def test_entries_taken_before_anothers_commit_are_placed_after_it(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """Two writers never fork the chain: ids stay, places move, nothing is lost."""
    record(writer, 1)
    taken = record(writer, 2, 3, flush=False)
    with closing(open_database(path)) as connection:
        record(LedgerWriter(connection), 7, 8)

    written = writer.flush()

    assert [entry.seq for entry in taken] == [2, 3]
    assert [entry.seq for entry in written] == [4, 5]
    assert [entry.id for entry in taken] == [entry.id for entry in written]
    assert holds(rows(database))
    assert verify(database).entries == 5


def test_an_interrupt_during_the_commit_leaves_no_transaction_open(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """Whatever ends a flush early, nothing stays pending and the next one works."""
    database.set_progress_handler(lambda: 1, 1)
    with pytest.raises(LedgerError):
        record(writer, 1)
    database.set_progress_handler(None, 0)

    assert not database.in_transaction
    assert [entry.seq for entry in record(writer, 2)] == [1]
