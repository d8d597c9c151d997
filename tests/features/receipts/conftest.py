"""What the tests of receipts share: a real database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.receipts.receipt_setup import Calls

from interlock.store.database import open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A new database."""
    with closing(open_database(tmp_path / "state" / "interlock.db")) as connection:
        yield connection


@pytest.fixture
def calls(database: sqlite3.Connection) -> Calls:
    """A book of calls under a policy that denies repeats in a session."""
    return Calls(database)
