"""One search from beginning to end: the index brought up to date, asked, and made anew if it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, TypeVar

from interlock.errors import StoreError
from interlock.ledger.entry import Entry
from interlock.ledger.reader import ANY, Filter, LedgerReader
from interlock.search.file import damaged, discard, index_beside, open_index
from interlock.search.finder import FIRST, LAST, Among, Finder
from interlock.search.index import SearchIndex, reading_error
from interlock.search.question import Question

_STEP: Final = 2_000  # entries in one transaction

Progress = Callable[[int], object]
T = TypeVar("T")


def search(
    database: Path,
    ledger: sqlite3.Connection,
    wanted: Filter = ANY,
    question: Question | None = None,
    *,
    limit: int = 50,
    before: int | None = None,
    progress: Progress | None = None,
) -> list[Entry]:
    """The newest entries that fit, of all that are recorded by now."""
    return _found(
        database,
        ledger,
        lambda finder: finder.page(wanted, question, limit=limit, before=before),
        progress,
    )


def search_among(
    database: Path,
    ledger: sqlite3.Connection,
    facts: Sequence[str],
    question: Question | None,
    fits: Callable[[Entry], bool],
    *,
    limit: int,
    before: int | None = None,
) -> Among:
    """The newest entries that have one of these facts and that somebody may see."""
    return _found(
        database, ledger, lambda finder: finder.among(facts, question, fits, limit=limit, before=before)
    )


def _found(
    database: Path,
    ledger: sqlite3.Connection,
    ask: Callable[[Finder], T],
    progress: Progress | None = None,
) -> T:
    path = index_beside(database)

    def once() -> T:
        with closing(open_index(path)) as connection:
            index = SearchIndex(connection, ledger)
            catch_up(index, progress)
            return ask(Finder(index, LedgerReader(ledger)))

    try:
        try:
            return once()
        except sqlite3.DatabaseError as error:
            if not damaged(error):
                raise
        discard(path)
        return once()
    except sqlite3.Error as error:
        raise reading_error(error) from error


def ends_of(
    database: Path,
    ledger: sqlite3.Connection,
    since: str | None,
    until: str | None,
    progress: Progress | None,
) -> tuple[int, int] | None:
    """The seqs a time lies between; None when the index cannot tell, and all must be read."""
    if since is None and until is None:
        return None
    try:
        with closing(open_index(index_beside(database))) as connection:
            index = SearchIndex(connection, ledger)
            catch_up(index, progress)
            return index.between(since or FIRST, until or LAST) or (1, 0)
    except (sqlite3.Error, StoreError):
        return None


def catch_up(index: SearchIndex, progress: Progress | None = None) -> int:
    """Take in all that is missing; another process may do the same meanwhile."""
    done = 0
    while taken := index.fill(_STEP):
        done += taken
        if progress is not None:
            progress(done)
    return done
