"""Entries of the ledger: a page of those that fit, and one with its proof."""

from __future__ import annotations

import sqlite3
from typing import Final

import msgspec

from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.verify import Standing, standing_of
from interlock.search.question import Question, excerpt, rule_of, texts_of
from interlock.search.search import Finder, needs_index
from interlock.web.decision_words import decision_word
from interlock.web.queries.differences import Piece, pieces
from interlock.web.queries.index import Indexed

_LONGEST: Final = 200


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
    text: str  # what it says, or where the words that were searched for stand
    marks: tuple[tuple[int, int], ...] = ()  # where they stand in it

    @property
    def word(self) -> str:
        """The word for its decision."""
        return decision_word(self.decision, {"approval": self.approval, "reason": self.reason})

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The text, with what was searched for marked."""
        return pieces(self.text, self.marks)


class FoundPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some entries, newest first, and where the next page begins."""

    entries: tuple[Found, ...]
    before: int | None


class Proved(msgspec.Struct, frozen=True, kw_only=True):
    """One entry and where it stands in the chain."""

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
    """The newest entries that fit; one more is looked for, to know whether there is another page."""
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
    if question is not None:
        text, marks = excerpt(entry, question)
    else:
        text, marks = _saying(body), []
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
        reason=_text(body.get("reason")),
        approval=_text(body.get("approval")),
        text=text,
        marks=tuple(marks),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _saying(body: dict[str, object]) -> str:
    """What an entry is about, in a line: the call's own words before any other."""
    given = body.get("tool_input")
    first = next(texts_of(given), "") if isinstance(given, dict) else ""
    for text in (first, body.get("prompt"), body.get("reason"), body.get("text"), body.get("kind")):
        if isinstance(text, str) and text:
            return text[:_LONGEST] + ("…" if len(text) > _LONGEST else "")
    return ""
