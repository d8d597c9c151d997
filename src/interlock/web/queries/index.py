"""The search index while one page is made, and the sessions it lists."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from interlock.search.index import SearchIndex, discard, index_beside, is_damaged, open_index, reading_error
from interlock.store.statements import statements

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
    """Open the index beside a database; one that is damaged is rebuilt and filled by and by."""
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


_END: Final = 2**63 - 1


class SeenSession(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted of one session."""

    session: str
    actor: str  # of its first entry
    workspace: str
    first: str
    last: str
    newest: int  # the seq of its last entry
    entries: int
    calls: int
    asks: int
    denials: int


def seen_sessions(
    index: sqlite3.Connection, *, limit: int = 50, before: int | None = None
) -> tuple[SeenSession, ...]:
    """The sessions whose last entry is before a seq, newest first."""
    asked = {"limit": limit, "before": _END if before is None else before}
    return tuple(map(_session, index.execute(statements("web_figures")["sessions"], asked)))


def seen_session(index: sqlite3.Connection, session: str) -> SeenSession | None:
    """One session; None when nothing of it has been counted."""
    found = index.execute(statements("web_figures")["session"], {"session": session}).fetchone()
    return _session(found) if found else None


def _session(row: tuple[object, ...]) -> SeenSession:
    return msgspec.convert(dict(zip(SeenSession.__struct_fields__, row, strict=True)), SeenSession)
