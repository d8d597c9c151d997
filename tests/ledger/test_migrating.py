"""Laws of a ledger that is brought up to date, or copied, while somebody writes to it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.typed import Interlock
from tests.ledger.records import record

from interlock.cli.policy_source import here
from interlock.errors import LedgerError, StoreError
from interlock.ledger.export import verify_file
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database
from interlock.store.migrations import migrate, steps, version

OLD = 6  # the schema before retention


@pytest.fixture
def old(path: Path) -> Iterator[sqlite3.Connection]:
    """A database as an older daemon left it open: its schema, its connection, its writer's statements."""
    path.parent.mkdir(mode=0o700)
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    migrate(connection, path, steps()[:OLD])
    connection.execute("PRAGMA journal_mode = WAL")
    path.chmod(0o600)
    with closing(connection):
        yield connection


@pytest.mark.req("L09")
def test_an_old_daemon_goes_on_writing_on_the_new_schema(path: Path, old: sqlite3.Connection) -> None:
    """What it wrote before, and what it writes after the migration, is one chain."""
    writer = LedgerWriter(old)
    record(writer, *range(700))
    with closing(open_database(path)) as new:
        record(writer, *range(700))
        record(LedgerWriter(new), *range(5))
        record(writer, *range(5))
        result = verify(new)

        assert version(new) == steps()[-1].number
    assert (result.broken, result.entries) == (None, 1410)


@pytest.mark.req("L09")
def test_while_the_migration_holds_the_database_an_old_daemon_refuses_and_loses_nothing_it_answered(
    path: Path, old: sqlite3.Connection
) -> None:
    """Its entries of that moment are said to be unrecorded, so their calls are refused; then it goes on."""
    writer = LedgerWriter(old)
    record(writer, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as migrating:
        migrating.execute("BEGIN IMMEDIATE")
        writer.append("decision", "a", "", {})
        with pytest.raises(LedgerError, match="another process has locked the database"):
            writer.flush()
        migrating.execute("ROLLBACK")
    with closing(open_database(path)) as new:
        record(writer, 2)

        assert verify(new).entries == 2


@pytest.mark.req("L09")
def test_an_old_daemon_that_starts_on_a_newer_schema_is_told_so(
    path: Path, database: sqlite3.Connection
) -> None:
    """It changes nothing and names both numbers."""
    with pytest.raises(StoreError, match="written by a newer Interlock"):
        migrate(database, path, steps()[:OLD])


@pytest.mark.req("L09")
@pytest.mark.parametrize("form", ["sqlite", "jsonl", "csv"])
def test_an_export_while_somebody_writes_is_whole(interlock: Interlock, work: Path, form: str) -> None:
    """Every format is of one moment and verifies alone."""
    path = here().database
    with closing(open_database(path)) as connection:
        record(LedgerWriter(connection), *range(2_000))
    ended, began = threading.Event(), threading.Event()

    def write() -> None:
        with closing(open_database(path, busy_seconds=90)) as connection:
            writer = LedgerWriter(connection)
            while not ended.is_set():
                record(writer, 1, 2, 3)
                began.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert began.wait(90)
        typed = interlock("ledger", "export", "--format", form, "--out", str(work / "out"))
    finally:
        ended.set()
        thread.join()

    assert typed.code == 0
    found, selection = verify_file(work / "out", None, (), ())
    assert (found.broken, selection) == (None, False)
    assert found.entries >= 2_003
    assert (work / "out").stat().st_mode & 0o777 == 0o600
