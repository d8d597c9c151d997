"""The memory of `once` hooks that outlives the process."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors
from interlock.store.statements import statements


class OnceInStore:
    """One row per run taken; the row's key makes two claims at once impossible, also from two processes."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements("once")

    def claim(self, session_id: str, key: str) -> bool:
        """Take the one run of a hook in a session; False when it is taken."""
        return self._change("claim", session_id, key, timestamp(self._clock()))

    def release(self, session_id: str, key: str) -> None:
        """Give the run back, after a rejection or a timeout."""
        self._change("release", session_id, key)

    def _change(self, name: str, *values: str) -> bool:
        with explain_errors("cannot remember that a hook ran"):
            return self._connection.execute(self._sql[name], values).rowcount > 0
