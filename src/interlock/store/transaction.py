"""Several changes as one: all of them are kept, or none is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the lock for writing from the first statement on, and commit at the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def savepoint(connection: sqlite3.Connection, name: str) -> Iterator[None]:
    """The same inside a transaction that goes on; what fails in between leaves nothing behind."""
    connection.execute(f"SAVEPOINT {name}")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # after some errors the engine has undone everything by itself
            connection.execute(f"ROLLBACK TO {name}")
        raise
    finally:
        with suppress(sqlite3.Error):
            connection.execute(f"RELEASE {name}")
