"""Appending to the ledger: places are taken at once, rows are committed in groups."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable
from typing import Final

from interlock.errors import LedgerError
from interlock.ledger.blocks import Blocks
from interlock.ledger.chain import GENESIS, Head, bind, move, write_down
from interlock.ledger.entry import Body, Entry, Payload, columns_of
from interlock.ledger.ids import EntryIds
from interlock.ledger.watch import FileWatch
from interlock.store.failures import meaning
from interlock.store.statements import statements
from interlock.store.timestamp import timestamp
from interlock.tool import JsonObject


class LedgerWriter:
    """The end of the chain in one process; not for several threads.

    An entry is recorded when `flush` has returned, not before. Nothing that depends on it may leave earlier.
    """

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements("ledger")
        self._ids: Final = EntryIds()
        self._blocks: Final = Blocks()
        self._entries: list[Entry] = []
        try:
            self._committed = self._stored_head()
        except sqlite3.Error as error:
            raise LedgerError(f"cannot read the ledger: {meaning(error)}") from error
        self._watch: Final = FileWatch(connection)
        self._tip = self._committed

    @property
    def pending(self) -> int:
        """How many entries wait for the next flush."""
        return len(self._entries)

    @property
    def head(self) -> Head:
        """The last entry known to be committed."""
        return self._committed

    def append(self, op: str, actor: str, workspace: str, body: JsonObject | Body) -> Entry:
        """Take the next place for an entry and leave it pending.

        Its id is final; its place is too unless another process writes before the flush.
        """
        now = self._clock()
        try:
            written = Payload(
                actor=actor,
                body=write_down(body),
                id=self._ids.next(now),
                op=op,
                seq=self._tip.seq + 1,
                ts=timestamp(now),
                workspace=workspace,
            )
            entry = bind(written, columns_of(body), self._tip)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise LedgerError(f"cannot record `{op}`: {error}; every value must be plain JSON") from error
        self._tip = Head(entry.seq, entry.hash)
        self._entries.append(entry)
        return entry

    def flush(self) -> list[Entry]:
        """Commit everything pending in one transaction and give it as it was written.

        When that fails, nothing of it was recorded, nothing stays pending, and the chain is where it was.
        """
        if not self._entries:
            return []
        try:
            entries = self._commit()
        except sqlite3.Error as error:
            raise LedgerError(f"cannot record: {meaning(error)}") from error
        else:
            self._committed = Head(entries[-1].seq, entries[-1].hash)
            return entries
        finally:
            self._tip = self._committed
            self._entries = []

    def _commit(self) -> list[Entry]:
        self._watch.check()
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            entries = self._placed(self._stored_head())
            connection.executemany(self._sql["insert"], entries)
            if found := self._blocks.new(entries):
                connection.executemany(self._sql["insert_block"], found)
            connection.execute("COMMIT")
        except BaseException:
            self._blocks.forget()
            if connection.in_transaction:
                # After some errors the engine has rolled back by itself, and saying so again is one more.
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            raise
        return entries

    def _placed(self, stored: Head) -> list[Entry]:
        """The pending entries as they stand, or bound anew when another process wrote since we last did."""
        if stored == self._committed:
            return self._entries
        self._refuse_rewritten()
        entries = []
        for entry in self._entries:
            entries.append(move(entry, stored))
            stored = Head(entries[-1].seq, entries[-1].hash)
        return entries

    def _refuse_rewritten(self) -> None:
        """An end that does not contain ours is no later one: somebody cut or rewrote the chain."""
        seq, known = self._committed
        found = self._connection.execute(self._sql["hash_at"], (seq,)).fetchone()
        if seq and (found is None or found[0] != known):
            raise LedgerError(
                f"cannot record: entry {seq} was changed or removed since it was written; "
                "run `interlock ledger verify` and restart the daemon",
                reopen=True,
            )

    def _stored_head(self) -> Head:
        found = self._connection.execute(self._sql["head"]).fetchone()
        return Head(*found) if found else GENESIS
