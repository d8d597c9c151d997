"""The counts of stops that were sent back, kept so that a restart does not begin them anew."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

from interlock.errors import StoreError
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

_KEPT: Final = 30 * 86_400.0  # seconds; a session that is taken up after that begins anew


class RoundsInStore:
    """One row per session and hook; most prompts find nothing to remove, and a set in memory says so."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements("rounds")
        self._run("forget", timestamp(clock() - _KEPT))
        found = self._connection.execute("SELECT DISTINCT session_id FROM stop_rounds").fetchall()
        self._counted: Final[set[str]] = {row[0] for row in found}

    def count(self, session_id: str, key: str) -> int:
        """The blocks so far in this turn."""
        if session_id not in self._counted:
            return 0
        found = self._run("count", session_id, key).fetchone()
        return int(found[0]) if found else 0

    def add(self, session_id: str, key: str) -> None:
        """One more."""
        self._run("add", session_id, key, timestamp(self._clock()))
        self._counted.add(session_id)

    def reset(self, session_id: str) -> None:
        """A new turn begins."""
        if session_id in self._counted:
            self._run("reset", session_id)
            self._counted.discard(session_id)

    def _run(self, name: str, *values: str) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._sql[name], values)
        except sqlite3.Error as error:
            raise StoreError(f"cannot count how often a stop was sent back: {explain(error)}") from error
