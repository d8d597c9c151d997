"""Opening the database: in a private place, durable, at the schema this version knows."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

from interlock.errors import LedgerError, StoreError
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.files import secure_file, secure_folder, temporary_file
from interlock.store.migrations import check_version, create, migrate, steps, version

_log: Final = logging.getLogger(__name__)
_PRIMARY: Final = 0xFF
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_MOST: Final = 400
_NEXT: Final = "a person must check it and run `interlock ledger repair`"
_noted: Final[dict[str, str]] = {}  # in this process, even if the file cannot be written
Got = TypeVar("Got")


def damage_note(database: Path) -> Path:
    """The file that says so, beside the database."""
    return database.with_name(f"{database.name}.damaged")


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means that the database file is damaged."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY in _DAMAGED


def damage_of(database: str | Path) -> str | None:
    """Return a sentence with the damage of a database and the next step, None if there is none."""
    path = str(database)
    if path not in _noted and not os.access(f"{path}.damaged", os.F_OK, follow_symlinks=False):
        return None
    if path not in _noted:
        note = ""
        with suppress(OSError), Path(f"{path}.damaged").open("rb") as file:
            note = file.read(_MOST).decode("utf-8", "replace").strip()
        _noted[path] = note or "at some time"
    return f"the database was found damaged ({_noted[path]}); {_NEXT}"


def note_damage(database: str, error: sqlite3.Error) -> None:
    """Remember damage, in this process and in a file for all others; the first note stays."""
    if database in _noted:
        return
    _noted[database] = note = f"{timestamp(time.time())}, {error}"
    _log.error("`%s` is damaged: %s; tool calls are denied, and %s", database, error, _NEXT)
    with suppress(OSError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(f"{database}.damaged", flags, 0o600)
        try:
            os.write(file, note.encode())
            os.fsync(file)
        finally:
            os.close(file)


def forget_damage(database: Path) -> None:
    """Forget the damage, after a person has repaired the database."""
    damage_note(database).unlink(missing_ok=True)
    _noted.pop(str(database), None)


def _watch(method: Callable[..., Got]) -> Callable[..., Got]:
    @wraps(method)
    def watched(cursor: WatchedCursor, *given: Any) -> Got:
        try:
            return method(cursor, *given)
        except sqlite3.DatabaseError as error:
            if cursor.connection.path is not None and is_damage(error):
                note_damage(cursor.connection.path, error)
            raise

    return watched


class WatchedCursor(sqlite3.Cursor):
    """Notes the damage that a statement meets, whoever handles the error."""

    connection: WatchedConnection

    execute = _watch(sqlite3.Cursor.execute)
    executemany = _watch(sqlite3.Cursor.executemany)
    fetchone = _watch(sqlite3.Cursor.fetchone)
    fetchmany = _watch(sqlite3.Cursor.fetchmany)
    fetchall = _watch(sqlite3.Cursor.fetchall)
    __next__ = _watch(sqlite3.Cursor.__next__)


class WatchedConnection(sqlite3.Connection):
    """A connection whose statements note damage; `path` is set by whoever opens it."""

    path: str | None = None

    def cursor(self, *_: Any) -> WatchedCursor:  # type: ignore[override] # there is one kind
        return super().cursor(WatchedCursor)

    def execute(self, sql: str, parameters: Any = (), /) -> WatchedCursor:
        """Execute with our cursor; the inherited method would not use it."""
        cursor: WatchedCursor = self.cursor().execute(sql, parameters)
        return cursor

    def executemany(self, sql: str, parameters: Any, /) -> WatchedCursor:
        """Execute with our cursor."""
        cursor: WatchedCursor = self.cursor().executemany(sql, parameters)
        return cursor


APPLICATION_ID = int.from_bytes(b"ILK1", "big")
_READER_SECONDS = 5.0


def open_database(path: Path, *, busy_seconds: float = 0.0) -> sqlite3.Connection:
    """Open the database for writing, making it or bringing it up to date first.

    A lock held by another process is an error at once unless `busy_seconds` says how long to wait for it:
    the daemon has an answer to give in time.
    """
    uid = os.getuid()
    secure_folder(path.parent, uid=uid)
    try:
        if not secure_file(path, uid=uid):
            with temporary_file(path) as temporary:
                create(path, temporary)
        connection = _connect(path, "rw", busy_seconds)
    except sqlite3.Error as error:
        raise StoreError(f"cannot create `{path}`: {explain(error)}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot create `{path}`: {reason}; check the disk and the folder") from error
    with _closed_on_error(connection, path):
        _refuse_foreign(connection, path)
        _set_up(connection)
        migrate(connection, path)
    return connection


def open_or_closed(path: Path) -> sqlite3.Connection:
    """Open the database; in place of a damaged one an empty one in memory, in which nothing is recorded."""
    if damage_of(path) is None:
        try:
            return open_database(path)
        except StoreError:
            if damage_of(path) is None:
                raise
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    migrate(connection, path)
    return connection


def open_to_read(path: Path, *, ours: bool = True) -> sqlite3.Connection:
    """Open an existing database for reading only; a process that writes meanwhile is not disturbed.

    Damage to one of `ours` closes it; a copy that somebody made is only told to be damaged.
    """
    if not path.exists():
        raise StoreError(f"nothing is recorded yet in `{path}`; run `interlock setup`, then start an agent")
    connection = _connect(path, "ro", _READER_SECONDS, noted=ours)
    with _closed_on_error(connection, path):
        _refuse_foreign(connection, path)
        known = steps()
        if check_version(connection, path, known) < known[-1].number:
            raise StoreError(f"`{path}` was made by an older Interlock; start the daemon once to update it")
    return connection


@contextmanager
def _closed_on_error(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error):
            raise StoreError(f"cannot open `{path}`: {explain(error)}") from error
        raise


def _connect(path: Path, mode: str, seconds: float, *, noted: bool = True) -> sqlite3.Connection:
    # By an address with a mode: a bare path would make an empty file where there is none.
    address = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, timeout=seconds, factory=WatchedConnection
        )
    except sqlite3.Error as error:
        raise StoreError(f"cannot open `{path}`: {explain(error)}") from error
    connection.path = str(path) if noted else None
    return connection


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
    if mark != APPLICATION_ID and not (empty and version(connection) == 0):
        raise StoreError(f"`{path}` is the database of another program; move it away and start again")


def _set_up(connection: sqlite3.Connection) -> None:
    if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
        raise StoreError(
            "the file system has no shared memory for the database; choose another place with INTERLOCK_HOME"
        )
    connection.execute("PRAGMA synchronous = FULL")  # what was answered survives a power cut
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA wal_autocheckpoint = 1000")


class FileWatch:
    """Checks that the database and its log are still the same files: writes to a deleted file are lost."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        name: str = connection.execute("PRAGMA database_list").fetchone()[2]
        self._path: Final = Path(name) if name else None
        self._log_path: Final = Path(f"{name}-wal")
        self._file: Final = _identity(Path(name))
        self._log = _identity(self._log_path)

    def check(self) -> None:
        """Raise when either file is gone or is another one; a database in memory has no file."""
        if self._path is None:
            return
        if _identity(self._path) != self._file:
            raise _replaced(self._path)
        log = _identity(self._log_path)
        # The log appears with the first use and then stays until the last connection closes.
        if self._log is not None and log != self._log:
            raise _replaced(self._log_path)
        self._log = log


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _replaced(path: Path) -> LedgerError:
    message = f"cannot record: `{path}` was replaced or deleted; restart the daemon"
    return LedgerError(message, reopen=True)
