"""The search index for as long as one page is made, with the newest entries taken in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from interlock.search.index import SearchIndex, discard, index_beside, is_damaged, open_index, reading_error

_STEP: Final = 250
_MOST: Final = 4  # steps a page waits for; the daemon goes on with the rest


class Indexed:
    """The index and its file, and how many of the newest entries are not in it yet."""

    def __init__(self, index: SearchIndex, connection: sqlite3.Connection, lag: int) -> None:
        self.index: Final = index
        self.connection: Final = connection
        self.lag: Final = lag


@contextmanager
def indexed(database: Path, ledger: sqlite3.Connection) -> Iterator[Indexed]:
    """Open the index beside a database; one that is damaged is made anew and filled by and by."""
    path = index_beside(database)
    try:
        with closing(open_index(path)) as connection:
            index = SearchIndex(connection, ledger)
            for _ in range(_MOST):
                if index.fill(_STEP) < _STEP:
                    break
            yield Indexed(index, connection, index.lag)
    except sqlite3.Error as error:
        if is_damaged(error):
            discard(path)
        raise reading_error(error) from error
