"""What hooks remember of sessions, kept in the store with the decision it was made in."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

import msgspec

from interlock.errors import StoreError
from interlock.events.tool import JsonObject
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

_KEPT: Final = 30 * 86_400.0  # seconds; a session that is taken up after that begins anew


class HookMemory:
    """One row per session and hook, written into the transaction that the ledger's next flush ends."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: LedgerWriter, clock: Callable[[], float] = time.time
    ) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._clock: Final = clock
        self._sql: Final = statements("memory")
        self._run("forget", timestamp(clock() - _KEPT))

    def get(self, session_id: str, key: str) -> JsonObject:
        """What was kept last; empty when nothing was."""
        found = self._run("get", session_id, key).fetchone()
        kept: JsonObject = msgspec.json.decode(found[0]) if found else {}
        return kept

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        """Keep this in place of what was kept before."""
        written = msgspec.json.encode(value).decode()
        try:
            self._ledger.join()
        except sqlite3.Error as error:
            raise StoreError(f"what a hook remembers cannot be kept: {explain(error)}") from error
        self._run("put", session_id, key, written, timestamp(self._clock()))

    def _run(self, name: str, *values: str) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._sql[name], values)
        except sqlite3.Error as error:
            raise StoreError(f"what hooks remember cannot be used: {explain(error)}") from error
