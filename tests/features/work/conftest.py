"""What the tests of the work share: a real database with the tables of the work on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.work.hooked import Hooked
from tests.features.work.place_of_work import Clock

from interlock.features.work.store import WorkStore
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A new database."""
    with closing(open_database(tmp_path / "state" / "interlock.db")) as connection:
        yield connection


@pytest.fixture
def clock() -> Clock:
    """A clock that goes when it is told to."""
    return Clock()


@pytest.fixture
def ledger(database: sqlite3.Connection) -> LedgerWriter:
    """The ledger changes go with."""
    return LedgerWriter(database)


@pytest.fixture
def work(database: sqlite3.Connection, ledger: LedgerWriter, clock: Clock) -> WorkStore:
    """The state of the work, where no host runs unless a test says so."""
    return WorkStore(database, ledger, clock=clock)


@pytest.fixture
def hooked(work: WorkStore, tmp_path: Path) -> Hooked:
    """The handlers in a project."""
    folder = tmp_path / "project"
    (folder / "task").mkdir(parents=True)
    return Hooked(work=work, folder=folder)
