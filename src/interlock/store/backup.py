"""A copy of a database that is whole although others write to it meanwhile."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from interlock.store.temporary import temporary_file

_PAGES = 2_000  # copied at a time, so that progress can be told


def back_up(source: Path, target: Path, progress: Callable[[int, int], None] | None = None) -> None:
    """Copy by the engine's own backup into a private file that gets its name when it is complete."""

    def tell(_status: int, remaining: int, total: int) -> None:
        if progress is not None:
            progress(total - remaining, total)

    with temporary_file(target) as temporary:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as reading,
            closing(sqlite3.connect(temporary, isolation_level=None)) as writing,
        ):
            reading.execute("BEGIN")  # one snapshot: else every write by others starts the copy anew
            reading.execute("PRAGMA user_version").fetchone()
            reading.backup(writing, pages=_PAGES, progress=tell)
            # One file that needs no log beside it.
            writing.execute("PRAGMA journal_mode = DELETE")
        descriptor = os.open(temporary, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temporary.replace(target)
