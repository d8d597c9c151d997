"""Room for the write-ahead log, made before it is needed: to overwrite is cheaper to sync than to grow."""

from __future__ import annotations

import os
import sqlite3
from typing import Final

from interlock.errors import StoreError
from interlock.store.failures import meaning

# A little more than the log holds when it is written back and begins anew.
ROOM: Final = 1_100 * 4_120


def make_room(connection: sqlite3.Connection, size: int = ROOM) -> None:
    """Lengthen the log with zeros, which are no entries to the engine; what it holds stays.

    A file that grows has its new length synced with every commit, and that takes several times as long.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")  # as long as we hold this, nobody else writes to the log
        try:
            path = connection.execute("PRAGMA database_list").fetchone()[2]
            if path:
                _lengthen(f"{path}-wal", size)
        finally:
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        raise StoreError(f"cannot make room in the log: {meaning(error)}") from error
    except OSError as error:
        raise StoreError(f"cannot make room in the log: {error.strerror}; free some space") from error


def _lengthen(path: str, size: int) -> None:
    # The engine holds no lock on this file, so closing our descriptor takes none away.
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        length = os.fstat(descriptor).st_size
        before = length
        try:
            # Written, not only reserved: reserved room is noted as used at its first write, by another sync.
            while length < size:
                length += os.pwrite(descriptor, bytes(min(size - length, 1 << 20)), length)
            os.fsync(descriptor)
        except OSError:
            # The last of the disk is not ours to sit on: others, and the database itself, need it to grow.
            os.ftruncate(descriptor, before)
            raise
    finally:
        os.close(descriptor)
