"""Desks with an empty store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.approvals.desk import Desk

from interlock.store.database import open_database


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where the store of a desk lies."""
    return tmp_path / "db" / "interlock.db"


@pytest.fixture
def desk(database: Path) -> Iterator[Desk]:
    """A desk with an empty store."""
    with closing(open_database(database)) as connection:
        yield Desk(connection)
