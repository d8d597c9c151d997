"""What the ledger's tests share: a real database and a writer on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from interlock.ledger.writer import LedgerWriter
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
