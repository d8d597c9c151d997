"""Laws of exporting."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.records import record

from interlock.errors import LedgerError
from interlock.ledger.export import export, payload_of
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


@pytest.mark.req("M56", "M74")
def test_every_line_is_an_entry_that_can_be_verified_elsewhere(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """One JSON object a line, with both hashes, from which the hashed bytes can be cut again."""
    entries = record(writer, *range(1, 301))

    lines = b"".join(export(database)).splitlines(keepends=True)

    last = bytes(32)
    for line, entry in zip(lines, entries, strict=True):
        document = json.loads(line)
        assert payload_of(line) == entry.payload
        assert document["prev_hash"] == last.hex()
        last = hashlib.sha256(last + payload_of(line)).digest()
        assert document["hash"] == last.hex()
        assert (document["seq"], document["body"]["number"]) == (entry.seq, entry.seq)


@pytest.mark.req("L09")
def test_an_export_is_of_one_moment(path: Path, database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """What is recorded while it runs is not in it, and is not held up."""
    record(writer, *range(600))
    with closing(open_database(path)) as other:
        late = LedgerWriter(other)
        lines = b"".join(export(database, progress=lambda count: record(late, count))).splitlines()

    assert len(lines) == 600
    assert len(b"".join(export(database)).splitlines()) > 600


def test_an_export_given_up_leaves_no_transaction(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """A reader that goes away frees the snapshot."""
    record(writer, *range(600))
    chunks = export(database)
    next(chunks)
    assert database.in_transaction
    chunks.close()

    assert not database.in_transaction


def test_a_ledger_that_cannot_be_read_is_explained(database: sqlite3.Connection) -> None:
    """The engine's own error does not come through."""
    database.execute("DROP TABLE ledger")
    with pytest.raises(LedgerError, match="cannot read the ledger"):
        list(export(database))
