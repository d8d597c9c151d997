"""Damage to the database: noted once wherever it is met, and standing until a person has repaired it.

Of a damaged file nobody knows which answers are still right, so one bad page closes all of it.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar

from interlock.store.clock import timestamp

_log: Final = logging.getLogger(__name__)
_PRIMARY: Final = 0xFF
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_MOST: Final = 400
_NEXT: Final = "a person must check it and run `interlock ledger repair`"
_noted: Final[dict[str, str]] = {}  # by this process: it counts even where the note cannot be written
Got = TypeVar("Got")


def damage_note(database: Path) -> Path:
    """The file that says so, beside the database."""
    return database.with_name(f"{database.name}.damaged")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the engine found what it cannot have written."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and code & _PRIMARY in _DAMAGED


def damage_of(database: str | Path) -> str | None:
    """Why nothing may rest on this database, if so: in a sentence with the next step."""
    path = str(database)
    if path not in _noted and not os.access(f"{path}.damaged", os.F_OK, follow_symlinks=False):
        return None
    if path not in _noted:
        said = ""
        with suppress(OSError), Path(f"{path}.damaged").open("rb") as file:
            said = file.read(_MOST).decode("utf-8", "replace").strip()
        _noted[path] = said or "at some time"
    return f"the database was found damaged ({_noted[path]}); {_NEXT}"


def note_damage(database: str, error: sqlite3.Error) -> None:
    """Remember it, here and for every process to come; the first word stands."""
    if database in _noted:
        return
    _noted[database] = said = f"{timestamp(time.time())}, {error}"
    _log.error("`%s` is damaged: %s; tool calls are denied, and %s", database, error, _NEXT)
    with suppress(OSError):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        file = os.open(f"{database}.damaged", flags, 0o600)
        try:
            os.write(file, said.encode())
            os.fsync(file)
        finally:
            os.close(file)


def forget_damage(database: Path) -> None:
    """A person has repaired it."""
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
        """By a cursor of ours: the engine's own shortcut makes none."""
        cursor: WatchedCursor = self.cursor().execute(sql, parameters)
        return cursor

    def executemany(self, sql: str, parameters: Any, /) -> WatchedCursor:
        """The same."""
        cursor: WatchedCursor = self.cursor().executemany(sql, parameters)
        return cursor
