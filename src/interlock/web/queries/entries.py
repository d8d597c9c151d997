"""The search index, the sessions it lists, and entries of the ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.verify import Standing, standing_of
from interlock.search.index import SearchIndex, discard, index_beside, open_index, reading_error
from interlock.search.question import Question, excerpt, rule_of
from interlock.search.search import Finder, needs_index
from interlock.store.database import is_damage
from interlock.store.statements import statements
from interlock.web.decision_words import decision_word
from interlock.web.queries.differences import Piece, pieces
from interlock.web.queries.timeline import text_of

_STEP: Final = 250
_MOST: Final = 4  # steps that a page waits for; the daemon indexes the rest


class Indexed:
    """The search index, and how many of the newest entries it lacks."""

    def __init__(self, index: SearchIndex, connection: sqlite3.Connection, lag: int) -> None:
        self.index: Final = index
        self.connection: Final = connection
        self.lag: Final = lag


@contextmanager
def indexed(database: Path, ledger: sqlite3.Connection) -> Iterator[Indexed]:
    """Open the index beside a database; a damaged one is removed, to be rebuilt."""
    path = index_beside(database)
    try:
        with closing(open_index(path)) as connection:
            index = SearchIndex(connection, ledger)
            for _ in range(_MOST):
                if index.fill(_STEP) < _STEP:
                    break
            yield Indexed(index, connection, index.lag)
    except sqlite3.Error as error:
        if is_damage(error):
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
    """One session; None if the index does not know it."""
    found = index.execute(statements("web_figures")["session"], {"session": session}).fetchone()
    return _session(found) if found else None


def _session(row: tuple[object, ...]) -> SeenSession:
    return msgspec.convert(dict(zip(SeenSession.__struct_fields__, row, strict=True)), SeenSession)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a list of entries."""

    seq: int
    id: str
    op: str
    ts: str
    actor: str
    session: str | None
    event: str | None
    tool: str | None
    decision: str | None
    rule: str | None
    reason: str | None
    approval: str | None  # the request or grant it was settled by
    text: str  # a summary, or the part with the words searched for
    marks: tuple[tuple[int, int], ...] = ()  # the positions of these words

    @property
    def word(self) -> str:
        return decision_word(self.decision, {"approval": self.approval, "reason": self.reason})

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The text, with the words searched for marked."""
        return pieces(self.text, self.marks)


class FoundPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of entries, newest first, and where the next one begins."""

    entries: tuple[Found, ...]
    before: int | None


class Proved(msgspec.Struct, frozen=True, kw_only=True):
    """One entry and its place in the chain."""

    entry: Entry
    standing: Standing


def page_of(
    ledger: sqlite3.Connection,
    index: Indexed,
    wanted: Filter,
    question: Question | None = None,
    *,
    limit: int = 50,
    before: int | None = None,
) -> FoundPage:
    """The newest entries that match; reads one more, to know whether there is another page."""
    reader = LedgerReader(ledger)
    if question is None and not needs_index(wanted):
        entries = reader.page(wanted, limit=limit + 1, before=before)
    else:
        entries = Finder(index.index, reader).page(wanted, question, limit=limit + 1, before=before)
    shown = tuple(_to_found(entry, question) for entry in entries[:limit])
    return FoundPage(entries=shown, before=shown[-1].seq if len(entries) > limit else None)


def proved(ledger: sqlite3.Connection, name: str) -> Proved:
    """One entry, by its seq or its id."""
    entry = LedgerReader(ledger).show(name)
    return Proved(entry=entry, standing=standing_of(ledger, entry))


def _to_found(entry: Entry, question: Question | None) -> Found:
    body = entry.body
    text, marks = excerpt(entry, question) if question is not None else (_summarize(body), [])
    return Found(
        seq=entry.seq,
        id=entry.id,
        op=entry.op,
        ts=entry.ts,
        actor=entry.actor,
        session=entry.session_id,
        event=entry.event,
        tool=entry.tool,
        decision=entry.decision,
        rule=rule_of(body),
        reason=_as_text(body.get("reason")),
        approval=_as_text(body.get("approval")),
        text=text,
        marks=tuple(marks),
    )


def _as_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _summarize(body: dict[str, object]) -> str:
    """An entry in one line; the call's own text comes before any other."""
    return text_of(body) or _as_text(body.get("reason")) or _as_text(body.get("kind")) or ""
