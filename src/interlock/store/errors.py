"""What the database's own errors mean to the person who must do something about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from interlock.errors import StoreError

_PRIMARY: Final = 0xFF  # the low byte of an extended code is the kind of error

_MEANING: Final = {
    sqlite3.SQLITE_BUSY: "another process has locked the database; stop it or try again",
    sqlite3.SQLITE_LOCKED: "another process has locked the database; stop it or try again",
    sqlite3.SQLITE_FULL: "the disk is full; free some space",
    sqlite3.SQLITE_IOERR: "the disk cannot be read or written; check its space and its health",
    sqlite3.SQLITE_READONLY: "the database is read-only here; check the file system and the file's mode",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check the folder's owner and mode",
    sqlite3.SQLITE_PERM: "the file cannot be opened; check the folder's owner and mode",
    sqlite3.SQLITE_CORRUPT: "the file is damaged; run `interlock ledger repair`",
    sqlite3.SQLITE_NOTADB: "the file is damaged, or is not a database; run `interlock ledger repair`",
}


def explain(error: sqlite3.Error) -> str:
    """Say what went wrong and what to do, in half a sentence."""
    code = getattr(error, "sqlite_errorcode", None)
    known = _MEANING.get(code & _PRIMARY) if code is not None else None
    return known or f"{error}; check the database file"


@contextmanager
def explain_errors(what: str, kind: type[StoreError] = StoreError) -> Iterator[None]:
    """Raise an error of the database as ours: what failed, and what it means."""
    try:
        yield
    except sqlite3.Error as error:
        raise kind(f"{what}: {explain(error)}") from error
