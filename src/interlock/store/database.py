"""Opening the database: in a private place, durable, at the schema this version knows."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from interlock.errors import LedgerError, StoreError
from interlock.store.damage import WatchedConnection, damage_of
from interlock.store.errors import explain
from interlock.store.files import secure_file, secure_folder, temporary_file
from interlock.store.migrations import check_version, create, migrate, steps, version

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
        raise StoreError(f"there is no database at `{path}` yet; it is created with the first recorded event")
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
    """The database and its log must stay the files they were: what is written to a deleted file is lost."""

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
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _replaced(path: Path) -> LedgerError:
    message = f"cannot record: `{path}` was replaced or deleted; restart the daemon"
    return LedgerError(message, reopen=True)
