"""What the store's tests share: a real database in a folder of the test's own."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from interlock.store.database import open_database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the database will be; nothing is there yet."""
    return tmp_path / "state" / "interlock.db"


@pytest.fixture
def database(path: Path) -> Iterator[sqlite3.Connection]:
    """A new database."""
    with closing(open_database(path)) as connection:
        yield connection
