"""The file of the index: private, beside the database, made anew when it is not what it should be."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from interlock.builtin_hooks.self_protection.default_paths import SEARCH
from interlock.errors import LedgerError
from interlock.store.errors import explain
from interlock.store.files import FILE_MODE, secure_file
from interlock.store.statements import statements

_APPLICATION: Final = int.from_bytes(b"ILKS", "big")
_VERSION: Final = 4  # of what is kept and how: another one makes the file anew
_BUSY_SECONDS: Final = 10.0
_TABLES: Final = ("create_filled", "begin_filled", "create_parts", "create_times")
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def index_beside(database: Path) -> Path:
    """Where the index of a database is."""
    return database.with_name(SEARCH)


def open_index(path: Path) -> sqlite3.Connection:
    """Open the index, or a new and empty one where there is none that can be used."""
    try:
        try:
            return _open(path)
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
        discard(path)
        return _open(path)
    except sqlite3.Error as error:
        raise LedgerError(f"cannot open the search index `{path}`: {explain(error)}") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LedgerError(f"cannot make the search index `{path}`: {reason}; check the disk") from error


def discard(path: Path) -> None:
    """Remove the index; nothing is lost, since all of it is in the ledger."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def damaged(error: sqlite3.Error) -> bool:
    """Whether the file is beyond use, and not only busy or out of room."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in _DAMAGED


def _open(path: Path) -> sqlite3.Connection:
    if not secure_file(path, uid=os.getuid()):
        with suppress(FileExistsError):  # another process was quicker
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, FILE_MODE))
    address = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=_BUSY_SECONDS)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # what a power cut takes is filled in again
        if not _known(connection):
            _make(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _known(connection: sqlite3.Connection) -> bool:
    mark: int = connection.execute("PRAGMA application_id").fetchone()[0]
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return (mark, version) == (_APPLICATION, _VERSION)


def _make(connection: sqlite3.Connection) -> None:
    sql = statements("search")
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _known(connection):  # looked at again under the lock
            _empty(connection)
            for name in _TABLES:
                connection.execute(sql[name])
            hourly = statements("hourly")
            for name in (name for name in hourly if name.startswith("create_")):
                connection.execute(hourly[name])
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _empty(connection: sqlite3.Connection) -> None:
    """Refuse what another version or program left: a damaged file is the one thing that is replaced."""
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        error = sqlite3.DatabaseError("the index is of another version")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error
