"""The search index: a private file beside the database, filled from the ledger in the background."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from interlock.errors import LedgerError, StoreError
from interlock.ledger.entry import BLOCK_SIZE, COLUMNS, Row
from interlock.policy.locations import SEARCH
from interlock.search.hourly import Hourly, forget_before
from interlock.search.question import words_of
from interlock.store.database import is_damage, open_to_read
from interlock.store.errors import explain
from interlock.store.files import FILE_MODE, secure_file
from interlock.store.statements import statements, transaction

_APPLICATION: Final = int.from_bytes(b"ILKS", "big")
_VERSION: Final = 4  # of what is kept and how: another one rebuilds the file
_BUSY_SECONDS: Final = 10.0
_TABLES: Final = ("create_filled", "begin_filled", "create_parts", "create_times")


def index_beside(database: Path) -> Path:
    """Where the index of a database is."""
    return database.with_name(SEARCH)


def open_index(path: Path) -> sqlite3.Connection:
    """Open the index, or a new and empty one where there is none that can be used."""
    try:
        try:
            return _open(path)
        except sqlite3.DatabaseError as error:
            if not is_damage(error):
                raise
        discard(path)
        return _open(path)
    except sqlite3.Error as error:
        raise LedgerError(f"cannot open the search index `{path}`: {explain(error)}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LedgerError(f"cannot create the search index `{path}`: {reason}; check the disk") from error


def discard(path: Path) -> None:
    """Remove the index; nothing is lost, since all of it is in the ledger."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _open(path: Path) -> sqlite3.Connection:
    if not secure_file(path, uid=os.getuid()):
        _create(path)
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)
    try:
        connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is filled in again
        _refuse_others(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _create(path: Path) -> None:
    """Make the file beside its place and link it there: two that start at once never see half of one."""
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, FILE_MODE))
    try:
        with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            with transaction(connection):
                _fill_schema(connection)
            connection.execute("PRAGMA journal_mode = WAL")
        with suppress(FileExistsError):  # another process was quicker
            path.hardlink_to(temporary)
    finally:
        discard(temporary)


def _fill_schema(connection: sqlite3.Connection) -> None:
    sql = statements("search")
    for name in _TABLES:
        connection.execute(sql[name])
    hourly = statements("hourly")
    for name in (name for name in hourly if name.startswith("create_")):
        connection.execute(hourly[name])
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _refuse_others(connection: sqlite3.Connection) -> None:
    """Report the file of another version or program as damaged, since only a damaged file is replaced."""
    mark: int = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if (mark, version) != (_APPLICATION, _VERSION):
        error = sqlite3.DatabaseError("the index has another version")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error


PART: Final = 1 << 17  # seqs in one part; retention drops parts, so not too many
_TS, _HASH = COLUMNS.index("ts"), COLUMNS.index("hash")


class SearchIndex:
    """An index of one ledger; it follows what is appended, and starts over where the ledger was rewritten."""

    def __init__(self, connection: sqlite3.Connection, ledger: sqlite3.Connection) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._sql: Final = statements("search")
        self._of_ledger: Final = statements("ledger")

    @property
    def lag(self) -> int:
        """How many entries are not in the index yet."""
        ends = self._ledger.execute(self._of_ledger["ends"]).fetchone()
        first, last = ends if ends[0] is not None else (1, 0)
        return int(last - max(self._upto(), first - 1))

    def fill(self, limit: int) -> int:
        """Take in the next entries and give their number; 0 when the index has them all."""
        with transaction(self._connection):  # another process may be filling too: one after the other
            upto = self._check_filled()
            rows = self._ledger.execute(self._of_ledger["after"], (upto, limit)).fetchall()
            if rows:
                self._insert(rows)
        return len(rows)

    def find(self, match: str, *, low: int, high: int) -> Iterator[int]:
        """The seqs of entries that fit, newest first."""
        for number in self._parts():
            first = number * PART
            if first <= high and first + PART > low:
                within = {"match": match, "low": max(low, first), "high": min(high, first + PART - 1)}
                for (seq,) in self._connection.execute(self._sql["find"].format(part=number), within):
                    yield seq

    def between(self, since: str, until: str) -> tuple[int, int] | None:
        """The first and last seq that can be of this time, None when none can."""
        low, high = self._connection.execute(self._sql["blocks_between"], (since, until)).fetchone()
        return None if low is None else (low * BLOCK_SIZE, high * BLOCK_SIZE + BLOCK_SIZE - 1)

    def _upto(self) -> int:
        return int(self._connection.execute(self._sql["filled"]).fetchone()[0])

    def _check_filled(self) -> int:
        """The last seq taken in; what retention removed is forgotten, a rewritten ledger starts over."""
        upto, filled_hash = self._connection.execute(self._sql["filled"]).fetchone()
        first = self._ledger.execute(self._of_ledger["ends"]).fetchone()[0] or 1
        entry = self._ledger.execute(self._of_ledger["hash_at"], (upto,)).fetchone()
        if upto and (entry is None or entry[0] != filled_hash):
            self._forget(all_of_it=True, before=first)
            return int(first - 1)
        if first > 1:
            self._forget(all_of_it=False, before=first)
        return int(upto)

    def _forget(self, *, all_of_it: bool, before: int) -> None:
        for number in self._parts():
            if all_of_it or (number + 1) * PART <= before:
                self._connection.execute(self._sql["drop_part"].format(part=number))
                self._connection.execute(self._sql["remove_part"], (number,))
        if all_of_it:
            self._connection.execute(self._sql["clear_times"])
            self._connection.execute(self._sql["set_filled"], (0, None))
            forget_before(self._connection, all_of_it=True)
        elif self._connection.execute(self._sql["remove_times"], (before // BLOCK_SIZE,)).rowcount:
            forget_before(self._connection, all_of_it=False)

    def _insert(self, rows: list[Row]) -> None:
        parts = set(self._parts())
        for number in {row[0] // PART for row in rows} - parts:
            self._connection.execute(self._sql["create_part"].format(part=number))
            self._connection.execute(self._sql["add_part"], (number,))
        times: dict[int, tuple[str, str]] = {}
        for row in rows:
            self._connection.execute(self._sql["insert"].format(part=row[0] // PART), words_of(row))
            block, ts = row[0] // BLOCK_SIZE, row[_TS]
            first, last = times.get(block, (ts, ts))
            times[block] = (min(first, ts), max(last, ts))
        self._connection.executemany(
            self._sql["add_times"], [(block, *ends) for block, ends in times.items()]
        )
        Hourly(rows).add_to(self._connection)
        self._connection.execute(self._sql["set_filled"], (rows[-1][0], rows[-1][_HASH]))

    def _parts(self) -> list[int]:
        return [number for (number,) in self._connection.execute(self._sql["parts"])]


def reading_error(error: sqlite3.Error) -> LedgerError:
    """What a failed search means to the person who asked."""
    return LedgerError(f"cannot search: {explain(error)}")


_log: Final = logging.getLogger(__name__)
_EVERY_SECONDS: Final = 2.0
_AFTER_TROUBLE_SECONDS: Final = 60.0
_STEP: Final = 250  # entries in one transaction: some 13 ms, half of it outside the interpreter's lock


class SearchIndexer:
    """Fills the index of one database; `events` counts the calls, so that a busy daemon is left alone.

    Whoever searches fills in what is missing, so nothing depends on this being done.
    """

    def __init__(self, database: Path, head: Callable[[], int], events: Callable[[], int]) -> None:
        self._database: Final = database
        self._head: Final = head
        self._events: Final = events
        self._filled = -1  # the head when the index was last complete
        self._ended = False

    async def run(self) -> None:
        """Look every now and then, until cancelled."""
        try:
            while True:
                await asyncio.sleep(_EVERY_SECONDS)
                if self._head() != self._filled and not await asyncio.to_thread(self._try_step):
                    await asyncio.sleep(_AFTER_TROUBLE_SECONDS)
        finally:
            self._ended = True

    def _try_step(self) -> bool:
        try:
            self.step()
        except (sqlite3.Error, StoreError) as error:
            _log.warning("the search index is not kept up to date: %s", error)
            if isinstance(error, sqlite3.Error) and is_damage(error):
                discard(index_beside(self._database))
            return False
        return True

    def step(self) -> None:
        """Take in one group of entries, and all that are missing while no call comes in."""
        head, events = self._head(), self._events()
        with (
            closing(open_to_read(self._database)) as ledger,
            closing(open_index(index_beside(self._database))) as connection,
        ):
            index = SearchIndex(connection, ledger)
            while index.fill(_STEP) == _STEP:
                if self._ended or self._events() != events:
                    return
        self._filled = head
