"""Laws of a database that is brought up to date, or copied, while an older program still writes to it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import pytest
from tests.ledger.records import holds, record, rows

from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import APPLICATION_ID, open_database, open_to_read
from interlock.store.files import back_up
from interlock.store.migrations import migrate, steps, version

pytestmark = pytest.mark.req("L09")

OLD = 6  # the first schema that daemons out there write to
PATIENCE = 90  # seconds for the lock beside a writer that hardly lets go of it; never waited for on purpose
HEAD = "SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1"
INSERT = """\
INSERT INTO ledger
    (seq, id, op, ts, actor, workspace, session_id, event, tool, decision, payload, prev_hash, hash)
VALUES (?, ?, 'step', 't', 'agent:old', '/w', NULL, NULL, NULL, NULL, ?, ?, ?)"""
BLOCK = "INSERT OR IGNORE INTO ledger_blocks (kind, name, block) VALUES ('actor', 'agent:old', ?)"


class OldWriter:
    """An append as a program of that schema does it, written out: it must not follow what we change."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.written = 0

    def _run(self) -> None:
        with closing(sqlite3.connect(self._path, isolation_level=None, timeout=90)) as connection:
            for number in count():
                if self._stopped.is_set():
                    return
                append(connection, number)
                self.written += 1

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Writes for as long as this lasts."""
        self._thread.start()
        try:
            yield
        finally:
            self._stopped.set()
            self._thread.join(90)

    def go_on(self, entries: int = 20) -> None:
        """Wait until it has written more."""
        wanted, end = self.written + entries, time.monotonic() + 90
        while self.written < wanted:
            assert self._thread.is_alive(), "the old program fell over"
            assert time.monotonic() < end, "the old program writes no more"
            time.sleep(0.001)


def append(connection: sqlite3.Connection, number: int) -> None:
    """One entry, in a transaction of its own."""
    connection.execute("BEGIN IMMEDIATE")
    seq, prev = connection.execute(HEAD).fetchone() or (0, b"\0" * 32)
    named = {"actor": "agent:old", "body": {"number": number}, "id": f"old-{number}", "op": "step"}
    payload = json.dumps({**named, "seq": seq + 1, "ts": "t", "workspace": "/w"}).encode()
    hashed = hashlib.sha256(prev + payload).digest()
    connection.execute(INSERT, (seq + 1, f"old-{number}", payload, prev, hashed))
    connection.execute(BLOCK, ((seq + 1) // 512,))
    connection.execute("COMMIT")


@pytest.fixture
def old(path: Path) -> OldWriter:
    """A database of that schema, and the program that writes to it."""
    path.parent.mkdir(mode=0o700)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        migrate(connection, path, [step for step in steps() if step.number <= OLD])
        connection.execute("PRAGMA journal_mode = WAL")
    path.chmod(0o600)
    return OldWriter(path)


@pytest.mark.deep
def test_old_and_new_write_one_chain_before_during_and_after_the_update(old: OldWriter, path: Path) -> None:
    """The old program is never refused, the new one goes on after it, and nothing of either is missing."""
    with old.at_work():
        old.go_on()
        with closing(open_database(path, busy_seconds=PATIENCE)) as connection:
            old.go_on()
            writer = LedgerWriter(connection)
            new = [entry.id for number in range(20) for entry in record(writer, number)]
            old.go_on()

    with closing(open_to_read(path)) as connection:
        stored = [row[0] for row in connection.execute("SELECT id FROM ledger ORDER BY seq")]
        assert version(connection) == steps()[-1].number
        assert holds(rows(connection))
        assert verify(connection).broken is None
    assert [name for name in stored if name.startswith("old-")] == [f"old-{n}" for n in range(old.written)]
    assert [name for name in stored if not name.startswith("old-")] == new


def test_a_copy_taken_while_it_is_written_to_is_whole(old: OldWriter, path: Path) -> None:
    """Each is a chain without a break that ends where it was taken."""
    with old.at_work():
        old.go_on()
        for number in range(5):
            before = old.written
            back_up(path, path.with_name(f"copy-{number}"))
            with closing(sqlite3.connect(path.with_name(f"copy-{number}"))) as copy:
                copied = rows(copy)
            assert holds(copied)
            assert before <= len(copied) <= old.written + 1
            old.go_on(5)
