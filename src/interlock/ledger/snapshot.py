"""Every entry in order, as they all were at one moment, however long the reading takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from interlock.ledger.blocks import Row
from interlock.store.statements import statements

_BATCH: Final = 256  # few enough that the largest entries fit


@contextmanager
def snapshot(
    connection: sqlite3.Connection, selected: Mapping[str, Any] | None = None
) -> Iterator[Iterator[list[Row]]]:
    """Give the rows, or those selected, in batches; writers go on meanwhile and are not seen."""
    sql = statements("ledger")["all"] if selected is None else statements("proof")["selected"]
    connection.execute("BEGIN")
    try:
        yield _batches(connection.execute(sql, selected or {}))
    finally:
        connection.execute("COMMIT")


def _batches(cursor: sqlite3.Cursor) -> Iterator[list[Row]]:
    while rows := cursor.fetchmany(_BATCH):
        yield rows
