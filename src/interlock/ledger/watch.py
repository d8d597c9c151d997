"""Noticing that the database was taken away while it was open."""

from __future__ import annotations

import os
import sqlite3
from typing import Final

from interlock.errors import LedgerError


class FileWatch:
    """The database and its log must stay the files they were: what is written to a deleted file is lost.

    Looking costs a microsecond each, so it is done at every commit.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._path: Final[str] = connection.execute("PRAGMA database_list").fetchone()[2]
        self._log_path: Final = f"{self._path}-wal"
        self._file: Final = self._identity(self._path)
        self._log = self._identity(self._log_path)

    def check(self) -> None:
        """Raise when either file is gone or is another one; a database in memory has no file."""
        if not self._path:
            return
        if self._identity(self._path) != self._file:
            raise LedgerError(
                f"cannot record: `{self._path}` was replaced or deleted; open the database anew", reopen=True
            )
        log = self._identity(self._log_path)
        # The log appears with the first use and then stays until the last connection closes.
        if self._log is not None and log != self._log:
            raise LedgerError(
                f"cannot record: `{self._log_path}` was replaced or deleted; open the database anew",
                reopen=True,
            )
        self._log = log

    @staticmethod
    def _identity(path: str) -> tuple[int, int] | None:
        try:
            found = os.stat(path)  # noqa: PTH116 - on the hot path, where a Path object costs as much
        except OSError:
            return None
        return found.st_dev, found.st_ino
