"""One search: the index brought up to date, asked for a page, and rebuilt if it is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from interlock.errors import StoreError
from interlock.ledger.entry import Entry
from interlock.ledger.reader import ANY, Filter, LedgerReader
from interlock.search.index import SearchIndex, discard, index_beside, open_index, reading_error
from interlock.search.question import Fact, Question, fact_word, rule_of
from interlock.store.database import is_damage

_END: Final = 2**63 - 1
FIRST: Final = ""  # before every time
LAST: Final = "\uffff"  # after every time
_EXAMINED: Final = 5_000  # entries that are looked at for one page, whoever may see them


class Among(NamedTuple):
    """A page of entries that somebody may see."""

    entries: list[Entry]
    before: int | None  # where the next page begins; None if this was the last


class Finder:
    """Asks the index which entries fit, then reads and checks them in the ledger."""

    def __init__(self, index: SearchIndex, reader: LedgerReader) -> None:
        self._index: Final = index
        self._reader: Final = reader

    def page(
        self,
        wanted: Filter = ANY,
        question: Question | None = None,
        *,
        limit: int = 50,
        before: int | None = None,
    ) -> list[Entry]:
        """Return the newest entries that fit, or the newest before a seq."""
        low, high = 0, _END - 1 if before is None else before - 1
        if wanted.since is not None or wanted.until is not None:
            ends = self._index.between(wanted.since or FIRST, wanted.until or LAST)
            if ends is None:
                return []
            low, high = ends[0], min(ends[1], high)
        match = match_of(wanted, question)
        if match is None:
            return self._reader.page(wanted, limit=limit, before=high + 1, low=low)
        entries: list[Entry] = []
        for seq in self._index.find(match, low=low, high=high):
            entry = self._reader.at(seq)
            if entry is not None and fits(entry, wanted):
                entries.append(entry)
                if len(entries) == limit:
                    break
        return entries

    def among(
        self,
        facts: Sequence[str],
        question: Question | None,
        fits: Callable[[Entry], bool],
        *,
        limit: int,
        before: int | None = None,
    ) -> Among:
        """Return the newest entries with one of these facts that fit, among a limited number of entries."""
        high = _END - 1 if before is None else before - 1
        match = f"{{facts}} : ({' OR '.join(facts)})"
        if question is not None:
            match += f" AND {{text}} : ({question.match})"
        entries: list[Entry] = []
        for number, seq in enumerate(self._index.find(match, low=0, high=high)):
            if len(entries) == limit or number == _EXAMINED:
                return Among(entries, seq + 1)
            entry = self._reader.at(seq)
            if entry is not None and fits(entry):
                entries.append(entry)
        return Among(entries, None)


def needs_index(wanted: Filter) -> bool:
    """Return whether a filter needs the index; the ledger itself finds a session or an actor quickly."""
    return any((wanted.tool, wanted.decision, wanted.rule, wanted.op, wanted.since, wanted.until))


def match_of(wanted: Filter, question: Question | None) -> str | None:
    """Return the query for the index, None if only a time is asked for."""
    facts = [fact_word(fact, value) for fact, value in _facts(wanted) if value is not None]
    parts = [f"{{facts}} : ({' AND '.join(facts)})"] if facts else []
    if question is not None:
        parts.append(f"{{text}} : ({question.match})")
    return " AND ".join(parts) or None


def fits(entry: Entry, wanted: Filter) -> bool:
    """Return whether an entry of the ledger fits a filter."""
    return (
        _equal(wanted.session, entry.session_id)
        and _equal(wanted.actor, entry.actor)
        and _equal(wanted.tool, entry.tool)
        and _equal(wanted.decision, entry.decision)
        and _equal(wanted.op, entry.op)
        and (wanted.since is None or entry.ts >= wanted.since)
        and (wanted.until is None or entry.ts < wanted.until)
        and (wanted.rule is None or rule_of(entry.body) == wanted.rule)
    )


def _equal(wanted: str | None, actual: str | None) -> bool:
    return wanted is None or wanted == actual


def _facts(wanted: Filter) -> tuple[tuple[Fact, str | None], ...]:
    return (
        (Fact.SESSION, wanted.session),
        (Fact.ACTOR, wanted.actor),
        (Fact.TOOL, wanted.tool),
        (Fact.DECISION, wanted.decision),
        (Fact.RULE, wanted.rule),
        (Fact.OP, wanted.op),
    )


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
    """Return the newest entries that fit, of all that are recorded now."""
    return _ask_index(
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
    """Return the newest entries with one of these facts that somebody may see."""
    return _ask_index(
        database, ledger, lambda finder: finder.among(facts, question, fits, limit=limit, before=before)
    )


def _ask_index(
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
            if not is_damage(error):
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
    """Return the first and last seq of a time; None if the index does not know, so all must be read."""
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
    """Index everything that is missing; another process may do the same at the same time."""
    done = 0
    while taken := index.fill(_STEP):
        done += taken
        if progress is not None:
            progress(done)
    return done
