"""Stores that are empty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.approvals.approval_setup import ApprovalSetup

from interlock.store.database import open_database


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where the store of a setup lies."""
    return tmp_path / "db" / "interlock.db"


@pytest.fixture
def setup(database: Path) -> Iterator[ApprovalSetup]:
    """A setup with an empty store."""
    with closing(open_database(database)) as connection:
        yield ApprovalSetup(connection)
