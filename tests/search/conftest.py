"""What the tests of searching share: a real ledger, its index, and a plain way to say the same."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from interlock.ledger.writer import LedgerWriter
from interlock.search.index import SearchIndex, index_beside, open_index
from interlock.store.database import open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database is."""
    return tmp_path / "state" / "interlock.db"


@pytest.fixture
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """A new database."""
    with closing(open_database(path)) as connection:
        yield connection


@pytest.fixture
def writer(database: sqlite3.Connection) -> LedgerWriter:
    """A writer at a fixed time."""
    return LedgerWriter(database, clock=lambda: 1_700_000_000.25)


@pytest.fixture
def index(path: Path, database: sqlite3.Connection) -> Iterator[SearchIndex]:
    """The index of that database, empty."""
    with closing(open_index(index_beside(path))) as connection:
        yield SearchIndex(connection, database)
