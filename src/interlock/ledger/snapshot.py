"""Every entry in order, as they all were at one moment, however long the reading takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from interlock.ledger.blocks import Row
from interlock.store.statements import statements

_BATCH: Final = 256  # few enough that the largest entries fit


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[Iterator[list[Row]]]:
    """Give the rows in batches; writers go on meanwhile and are not seen."""
    connection.execute("BEGIN")
    try:
        yield _batches(connection.execute(statements("ledger")["all"]))
    finally:
        connection.execute("COMMIT")


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[Row]]:
    while rows := cursor.fetchmany(_BATCH):
        yield rows
