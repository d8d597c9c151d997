"""Decisions, entries of the ledger and sessions."""

from __future__ import annotations

import msgspec
from starlette.exceptions import HTTPException

from interlock.errors import InterlockError, LedgerError
from interlock.events.tool import JsonObject
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter
from interlock.search.question import Question, parse_question
from interlock.web.api.endpoint import Asked
from interlock.web.queries.calls import Traced, call_of
from interlock.web.queries.entries import Found, page_of, proved
from interlock.web.queries.index import SeenSession, indexed, seen_sessions
from interlock.web.queries.timeline import Timeline, timeline_of


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """An entry with everything it tells."""

    seq: int
    id: str
    op: str
    ts: str
    actor: str
    workspace: str
    session: str | None
    event: str | None
    tool: str | None
    decision: str | None
    prev_hash: str
    hash: str
    body: JsonObject


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """Where an entry stands in the chain."""

    holds: bool  # its hash is that of its own payload and what stands before it
    first: int  # of the chain
    last: int
    checkpoint: int | None  # the last entry that is signed for


class ProvedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry and its proof."""

    entry: Whole
    proof: Proof


class DecidedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, every hook that was asked, and the end of the call."""

    entry: Whole
    trace: tuple[Traced, ...]
    end: Whole | None
    end_trace: tuple[Traced, ...]


class EntriesPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some entries, the newest first; `before` is for the next page."""

    entries: tuple[Found, ...]
    before: int | None
    lag: int  # entries that cannot be searched yet


class SessionsPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some sessions, the one that did something last first."""

    sessions: tuple[SeenSession, ...]
    before: int | None
    lag: int


def decisions(asked: Asked) -> EntriesPage:
    """Those that fit."""
    return _page(asked, "decision")


def entries(asked: Asked) -> EntriesPage:
    """Those that fit, of any kind."""
    return _page(asked, asked.query.op)


def decision(asked: Asked) -> DecidedCall:
    """One of them, by its seq or id."""
    try:
        with asked.site.reading() as ledger:
            found = call_of(ledger, asked.name)
    except LedgerError as error:
        raise HTTPException(404, str(error)) from None
    end = whole(found.end) if found.end else None
    return DecidedCall(entry=whole(found.entry), trace=found.trace, end=end, end_trace=found.end_trace)


def entry(asked: Asked) -> ProvedEntry:
    """One of them, by its seq or id."""
    try:
        with asked.site.reading() as ledger:
            found = proved(ledger, asked.name)
    except LedgerError as error:
        raise HTTPException(404, str(error)) from None
    standing = found.standing
    checkpoint = standing.checkpoint.seq if standing.checkpoint else None
    proof = Proof(holds=standing.holds, first=standing.first, last=standing.last, checkpoint=checkpoint)
    return ProvedEntry(entry=whole(found.entry), proof=proof)


def sessions(asked: Asked) -> SessionsPage:
    """A page of them."""
    site, limit = asked.site, asked.query.limit
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        found = seen_sessions(index.connection, limit=limit + 1, before=asked.query.before)
        lag = index.lag
    before = found[limit - 1].newest if len(found) > limit else None
    return SessionsPage(sessions=found[:limit], before=before, lag=lag)


def timeline(asked: Asked) -> Timeline:
    """The moments of one session."""
    query = asked.query
    with asked.site.reading() as ledger:
        return timeline_of(ledger, query.session, limit=query.limit, before=query.before)


def _page(asked: Asked, op: str) -> EntriesPage:
    site, query = asked.site, asked.query
    names = ("session", "actor", "tool", "decision", "rule", "since", "until")
    wanted = Filter(op=op or None, **{name: getattr(query, name) or None for name in names})
    question = _question(query.q)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        found = page_of(ledger, index, wanted, question, limit=query.limit, before=query.before)
        return EntriesPage(entries=found.entries, before=found.before, lag=index.lag)


def _question(text: str) -> Question | None:
    try:
        return parse_question(text) if text.strip() else None
    except InterlockError as error:
        raise HTTPException(400, str(error)) from None


def whole(entry: Entry) -> Whole:
    """An entry as it is told."""
    return Whole(
        seq=entry.seq,
        id=entry.id,
        op=entry.op,
        ts=entry.ts,
        actor=entry.actor,
        workspace=entry.workspace,
        session=entry.session_id,
        event=entry.event,
        tool=entry.tool,
        decision=entry.decision,
        prev_hash=entry.prev_hash.hex(),
        hash=entry.hash.hex(),
        body=entry.body,
    )
