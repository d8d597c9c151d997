"""Appending to the ledger: places are taken at once, rows are committed in groups."""

from __future__ import annotations

import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any, Final, Protocol

import msgspec

from interlock.errors import InterlockError, LedgerError
from interlock.events.tool import JsonObject
from interlock.ledger.entry import (
    COLUMNS,
    GENESIS,
    Blocks,
    Body,
    Entry,
    Head,
    Payload,
    bind,
    columns_in,
    columns_of,
    move,
    write_down,
)
from interlock.store.clock import seconds_of, timestamp
from interlock.store.database import FileWatch
from interlock.store.errors import explain, explain_errors
from interlock.store.statements import savepoint, statements

_log: Final = logging.getLogger(__name__)
_BITS: Final = 0xFFFFFFFF


class EntryStamps:
    """The id and the time of each entry.

    An id is eight digits of the second and eight of a counter that begins at random in each process. Within a
    process no id is given twice. They grow with time, so the index of ids grows at one end.
    """

    def __init__(self, start: int | None = None) -> None:
        self._count = secrets.randbits(32) if start is None else start
        self._second, self._id, self._time = -1, "", ""

    def next(self, seconds: float) -> tuple[str, str]:
        """For an entry that is made now."""
        second, thousandths = divmod(int(seconds * 1000), 1000)
        if second != self._second:
            self._second, self._id = second, f"op_{second & _BITS:08x}"
            self._time = timestamp(second).removesuffix("000Z")
        self._count = (self._count + 1) & _BITS
        return f"{self._id}{self._count:08x}", f"{self._time}{thousandths:03d}Z"


WorkOf = Callable[[str, str, str], str | None]  # by session, actor and workspace
Keep = Collection[str] | Callable[[], Collection[str]]
_TOGETHER: Final = 16  # rows of the statement `insert_16`
_WIDTH: Final = len(COLUMNS)
_BYTES: Final = tuple(COLUMNS.index(name) for name in ("payload", "prev_hash", "hash"))


class Redact(Protocol):
    """Takes secrets out of encoded JSON; gives the very same object back when there are none."""

    def __call__(self, written: bytes, *, keep: Keep) -> bytes: ...


class LedgerWriter:
    """The end of the chain in one process; not for several threads.

    An entry is recorded when `flush` has returned, not before. Nothing that depends on it may leave earlier.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        clock: Callable[[], float] = time.time,
        *,
        redact: Redact | None = None,
        name: Callable[[str], str] = str,
        closed: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.closed: Final = closed  # why nothing is recorded until a person has seen to it, if so
        self.name: Final = name  # how an actor or a folder stands in entries, without secrets
        self._connection: Final = connection
        self._cursor: Final = connection.cursor()  # one for all commits: the connection makes one each time
        self._clock: Final = clock
        self._redact: Final = redact  # takes secrets out of every body, so that none can be forgotten
        self._sql: Final = statements("ledger")
        self.work_of: WorkOf | None = None  # which commitment somebody has claimed
        self._stamps: Final = EntryStamps()
        self._blocks: Final = Blocks()
        self._entries: list[Entry] = []
        with explain_errors("cannot read the ledger", LedgerError):
            self._committed = self._stored_head()
        self._watch: Final = FileWatch(connection)
        self._tip: Head | Entry = self._committed  # what the next entry is bound to
        self._joined = False  # whether a transaction is open that the next flush ends
        self._afterwards: list[Callable[[], object]] = []

    @property
    def pending(self) -> int:
        """How many entries wait for the next flush."""
        return len(self._entries)

    @property
    def entries(self) -> Sequence[Entry]:
        """What waits for the next flush; it stays as it is when that is over."""
        return self._entries

    def last_time(self) -> float:
        """When the last entry was written, in seconds; 0 where there is none."""
        with explain_errors("cannot read the ledger", LedgerError):
            found = self._cursor.execute(self._sql["last_time"]).fetchone()
        return seconds_of(found[0]) if found else 0.0

    @property
    def head(self) -> Head:
        """The last entry known to be committed."""
        return self._committed

    def append(
        self,
        op: str,
        actor: str,
        workspace: str,
        body: JsonObject | Body,
        *,
        name: str | None = None,
        keep: Keep = (),
    ) -> Entry:
        """Take the next place for an entry and leave it pending.

        Its id is final; its place is too unless another process writes before the flush. With a `name`, that
        is its id: for what must not be recorded twice. What `keep` names is never taken out as a secret.
        """
        made, ts = self._stamps.next(self._clock())
        try:
            if self.work_of is not None and isinstance(body, dict) and "commitment_id" not in body:
                body = self._with_work(body, actor, workspace, self.work_of)
            whole = write_down(body)
            written = whole if self._redact is None else self._redact(whole, keep=keep)
            record = Payload(
                actor=self.name(actor),
                body=msgspec.Raw(written),
                op=op,
                seq=self._tip.seq + 1,
                workspace=self.name(workspace),
                id=name or made,
                ts=ts,
            )
            if written is not whole:
                columns = columns_in(written)
            else:
                columns = body.columns if isinstance(body, Body) else columns_of(body)
            entry = bind(record, columns, self._tip)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            raise LedgerError(f"cannot record `{op}`: {error}; every value must be plain JSON") from error
        self._tip = entry
        self._entries.append(entry)
        return entry

    @staticmethod
    def _with_work(body: JsonObject, actor: str, workspace: str, work_of: WorkOf) -> JsonObject:
        """A body that names the commitment its actor has claimed; a `Body` has it from its event."""
        session = body.get("session_id")
        name = work_of(session if isinstance(session, str) else "", actor, workspace)
        return body if name is None else {**body, "commitment_id": name}

    @property
    def joined(self) -> bool:
        """Whether something was changed that only the next flush makes lasting."""
        return self._joined

    def join(self) -> None:
        """Open the transaction the next flush ends: changes made in it stand or fall with the entries."""
        if self._joined:
            return
        self._check()
        self._connection.execute("BEGIN IMMEDIATE")
        self._joined = True

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Several changes as one, inside the transaction that the next flush ends."""
        self.join()
        with savepoint(self._connection, name):
            yield

    def after_commit(self, act: Callable[[], object]) -> None:
        """Do something once the changes so far are on the disk; never, if they could not be made lasting."""
        self._afterwards.append(act)

    def flush(self) -> list[Entry]:
        """Commit everything pending in one transaction and give it as it was written.

        When that fails, nothing of it was recorded, nothing stays pending, and the chain is where it was.
        """
        afterwards, self._afterwards = self._afterwards, []
        if not self._entries:
            undone = self._joined
            self._leave()
            self._act([] if undone else afterwards)
            return []
        try:
            entries = self._commit()
        except sqlite3.Error as error:
            raise LedgerError(f"cannot record: {explain(error)}") from error
        else:
            self._committed = Head(entries[-1].seq, entries[-1].hash)
        finally:
            self._tip = self._committed
            self._entries = []
            self._leave()
        if afterwards:
            self._act(afterwards)
        return entries

    @staticmethod
    def _act(acts: list[Callable[[], object]]) -> None:
        for act in acts:
            try:
                act()
            except InterlockError as error:  # what it belongs to is on record all the same
                _log.warning("%s", error)

    def _check(self) -> None:
        if (why := self.closed()) is not None:
            raise LedgerError(f"cannot record: {why}")
        self._watch.check()

    def _commit(self) -> list[Entry]:
        entries, cursor = self._entries, self._cursor
        next_row = self._next_row(entries)
        self._check()
        if self._joined and not self._connection.in_transaction:
            # The engine gave it up: what was changed in it is lost, so its entries must be too.
            raise LedgerError(
                "cannot record: the database undid a change that belongs to these entries; try again"
            )
        if not self._joined:
            cursor.execute("BEGIN IMMEDIATE")
        try:
            try:
                if next_row is not None:
                    cursor.execute(self._sql["insert_next"], next_row)
            except sqlite3.IntegrityError:  # the chain ends elsewhere, or the longer way says what is wrong
                next_row = None
            if next_row is None:
                entries = self._rebind(self._stored_head())
                self._insert(entries)
                if found := self._blocks.new(entries):
                    cursor.executemany(self._sql["insert_block"], found)
            # Said, not left to a statement of its own: that would not commit, and not fail either, while
            # another one that writes has rows left to give. This does fail then.
            cursor.execute("COMMIT")
        except BaseException:
            self._blocks.forget()
            self._roll_back()
            raise
        self._joined = False
        return entries

    def _next_row(self, entries: list[Entry]) -> tuple[object, ...] | None:
        """What inserts a lone entry without asking first where the chain ends; None where it takes more."""
        if len(entries) != 1 or not self._blocks.has(entries[0]):
            return None
        *values, hashed = _row(entries[0])
        return (*values, *self._committed, hashed)

    def _insert(self, entries: list[Entry]) -> None:
        cursor, sql = self._cursor, self._sql
        whole = len(entries) - len(entries) % _TOGETHER
        # Many in one statement: to begin and end one takes a fifth of what an entry does.
        for start in range(0, whole, _TOGETHER):
            cursor.execute(sql["insert_16"], _rows(entries[start : start + _TOGETHER]))
        if whole < len(entries):
            cursor.executemany(sql["insert"], map(_row, entries[whole:]))

    def _leave(self) -> None:
        """End a joined transaction that was not committed."""
        if self._joined:
            self._joined = False
            self._roll_back()

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            # After some errors the engine has rolled back by itself, and saying so again is one more.
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")

    def _rebind(self, stored: Head) -> list[Entry]:
        """The pending entries as they stand, or bound to a new end when another process wrote since."""
        if stored == self._committed:
            return self._entries
        self._refuse_rewritten()
        entries = []
        for entry in self._entries:
            entries.append(move(entry, stored))
            stored = Head(entries[-1].seq, entries[-1].hash)
        return entries

    def _refuse_rewritten(self) -> None:
        """An end that does not contain ours is not a later one: somebody cut or rewrote the chain."""
        seq, known = self._committed
        found = self._connection.execute(self._sql["hash_at"], (seq,)).fetchone()
        if seq and (found is None or found[0] != known):
            raise LedgerError(
                f"cannot record: entry {seq} was changed or removed since it was written; "
                "run `interlock ledger verify` and restart the daemon",
                reopen=True,
            )

    def _stored_head(self) -> Head:
        found = self._cursor.execute(self._sql["head"]).fetchone()
        return Head(*found) if found else GENESIS


def _row(entry: Entry) -> tuple[object, ...]:
    """An entry as the database takes it soonest: it looks up how to adapt every `bytes`, no `bytearray`."""
    *texts, payload, prev_hash, hashed = entry
    return (*texts, bytearray(payload), bytearray(prev_hash), bytearray(hashed))


def _rows(entries: list[Entry]) -> list[Any]:
    """The same of many, one row behind the other."""
    values: list[Any] = list(chain.from_iterable(entries))
    for column in _BYTES:
        values[column::_WIDTH] = map(bytearray, values[column::_WIDTH])
    return values
