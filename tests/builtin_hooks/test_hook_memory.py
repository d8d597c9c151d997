"""What hooks remember of a session stands or falls with the decision it was made in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from interlock.daemon.session_memory import HookMemory
from interlock.errors import StoreError
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

DAY = 86_400.0


@pytest.fixture
def database(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder / "interlock.db"


def memory(connection: sqlite3.Connection, now: float = 0.0) -> tuple[HookMemory, LedgerWriter]:
    ledger = LedgerWriter(connection)
    return HookMemory(connection, ledger, clock=lambda: now), ledger


def test_what_was_kept_is_there_after_a_restart(database: Path) -> None:
    """By session and hook, the last value in place of the one before."""
    connection = open_database(database)
    first, ledger = memory(connection)
    first.put("s", "a", {"n": 1})
    first.put("s", "a", {"n": 2})
    first.put("s", "b", {"é": [None]})
    ledger.append("decision", "agent:main", "/", {})
    ledger.flush()
    connection.close()
    connection = open_database(database)
    second, _ = memory(connection)

    assert second.get("s", "a") == {"n": 2}
    assert second.get("s", "b") == {"é": [None]}
    assert second.get("other", "a") == {}
    connection.close()


def test_what_belongs_to_no_decision_is_not_kept(database: Path) -> None:
    """A daemon that dies before the record is written has given nothing either."""
    connection = open_database(database)
    first, _ = memory(connection)
    first.put("s", "a", {"n": 1})
    assert first.get("s", "a") == {"n": 1}
    connection.close()
    connection = open_database(database)

    assert memory(connection)[0].get("s", "a") == {}
    connection.close()


def test_sessions_that_never_came_back_are_forgotten(database: Path) -> None:
    """A month later, at the start of a daemon."""
    connection = open_database(database)
    first, ledger = memory(connection)
    first.put("s", "a", {"n": 1})
    ledger.append("decision", "agent:main", "/", {})
    ledger.flush()

    assert memory(connection, 29 * DAY)[0].get("s", "a") == {"n": 1}
    assert memory(connection, 31 * DAY)[0].get("s", "a") == {}
    connection.close()


def test_a_store_that_cannot_be_used_is_a_failure_with_words(database: Path) -> None:
    """The hook's failure rule decides then."""
    connection = open_database(database)
    first, _ = memory(connection)
    connection.close()

    with pytest.raises(StoreError):
        first.put("s", "a", {})
    with pytest.raises(StoreError, match="cannot use what hooks remember"):
        first.get("s", "a")
