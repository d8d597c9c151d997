"""Everybody at work, read from the store without a daemon's help."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from interlock.errors import StoreError
from interlock.features.fleet.views import seconds_of
from interlock.features.work.agents import AgentRows
from interlock.features.work.records import FleetRow
from interlock.store.database import open_to_read
from interlock.store.errors import explain

_MOST: Final = 10_000
_RECENT_SECONDS: Final = 3_600.0  # so long somebody who is done is still of interest
_DAY_SECONDS: Final = 86_400.0
_OVER: Final = frozenset({"done", "idle"})


@final
class Fleet:
    """A view of the fleet that is read again only when somebody has written."""

    def __init__(self, database: Path) -> None:
        self._database: Final = database
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._rows: list[FleetRow] = []

    def rows(self) -> list[FleetRow]:
        """Everybody, those first that need a person most; nobody before the first event."""
        try:
            connection = self._open()
            if connection is None:
                return []
            version = connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error as error:
            raise StoreError(f"cannot read `{self._database}`: {explain(error)}") from error
        if version != self._version:
            self._rows, self._version = AgentRows(connection).listed(most=_MOST), version
        return self._rows

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None and self._database.exists():
            self._connection = open_to_read(self._database)
        return self._connection

    def close(self) -> None:
        """Let the file go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def of_interest(rows: Sequence[FleetRow], now: float) -> list[FleetRow]:
    """Those at work, those that want a look, and those that ended a while ago; the rest is history."""
    return [row for row in rows if _is_of_interest(row, now)]


def _is_of_interest(row: FleetRow, now: float) -> bool:
    seen = max(seconds_of(row.status_at) or 0.0, seconds_of(row.last_heartbeat) or 0.0)
    return now - seen < (_RECENT_SECONDS if row.shown in _OVER else _DAY_SECONDS)
