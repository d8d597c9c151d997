"""Laws of the memory of `once` hooks that outlives the process."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from interlock.daemon.session_memory import OnceInStore
from interlock.engine.session_memory import OnceMemory
from interlock.errors import StoreError
from interlock.store.database import open_database


def test_a_run_is_claimed_once_per_session_and_key(database: sqlite3.Connection) -> None:
    """The first claim takes it; other sessions and other hooks are not touched."""
    memory: OnceMemory = OnceInStore(database)

    assert [memory.claim("s1", "k"), memory.claim("s1", "k")] == [True, False]
    assert memory.claim("s2", "k")
    assert memory.claim("s1", "other")


def test_a_released_run_can_be_claimed_again(database: sqlite3.Connection) -> None:
    """Giving back what was never taken does nothing."""
    memory = OnceInStore(database)
    memory.release("s1", "k")
    memory.claim("s1", "k")
    memory.release("s1", "k")

    assert memory.claim("s1", "k")


def test_a_claim_outlives_the_process(path: Path) -> None:
    """A restart does not run the hook again."""
    with closing(open_database(path)) as connection:
        OnceInStore(connection, clock=lambda: 0.0).claim("s1", "k")

    with closing(open_database(path)) as connection:
        assert not OnceInStore(connection).claim("s1", "k")
        assert (
            connection.execute("SELECT fired_at FROM once_fired").fetchone()[0] == "1970-01-01T00:00:00.000Z"
        )


@pytest.mark.req("D03")
def test_a_locked_database_is_an_error_and_no_claim(path: Path, database: sqlite3.Connection) -> None:
    """What cannot be remembered was not claimed."""
    with closing(open_database(path)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="cannot remember"):
            OnceInStore(database).claim("s1", "k")
