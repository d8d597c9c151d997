"""The kernel's endpoints: decisions, the ledger, sessions, hooks and the policy in force."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException

from interlock.errors import InterlockError, LedgerError
from interlock.events.tool import JsonObject
from interlock.feature import features
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter
from interlock.policy.policy import pipeline_rows
from interlock.search.question import Question, parse_question
from interlock.web.api.endpoint import (
    Asked,
    Endpoint,
    Folder,
    ListQuery,
    Span,
    Text,
    Time,
    endpoint,
)
from interlock.web.page import missing
from interlock.web.policies import policies_of
from interlock.web.queries.calls import Traced, call_of
from interlock.web.queries.entries import Found, SeenSession, indexed, page_of, proved, seen_sessions
from interlock.web.queries.figures import HooksFound, Rule, hook_figures, hooks_in, rules_of, window_of
from interlock.web.queries.timeline import Timeline, timeline_of


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """An entry with its whole body."""

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

    holds: bool  # its hash matches its content and the entry before it
    first: int  # of the chain
    last: int
    checkpoint: int | None  # the last entry that a signature covers


class ProvedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry and its proof."""

    entry: Whole
    proof: Proof


class DecidedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A decision, every hook that ran, and the end of the call."""

    entry: Whole
    trace: tuple[Traced, ...]
    end: Whole | None
    end_trace: tuple[Traced, ...]


class EntriesPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of entries, newest first; pass its `before` to get the next page."""

    entries: tuple[Found, ...]
    before: int | None
    lag: int  # entries that cannot be searched yet


class SessionsPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of sessions, the most recently active first."""

    sessions: tuple[SeenSession, ...]
    before: int | None
    lag: int


class PolicyFound(msgspec.Struct, frozen=True, kw_only=True):
    """The rules in force in a folder, and how often each matched."""

    folder: str
    revision: str
    usable: bool
    problem: str | None
    notice: str | None
    rules: tuple[Rule, ...]


class DecisionsQuery(ListQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which decisions to return."""

    session: Text = ""
    actor: Text = ""
    tool: Text = ""
    decision: Text = ""
    rule: Text = ""
    since: Time = ""
    until: Time = ""
    q: Annotated[str, Meta(max_length=500, description="Words to search for.")] = ""


class EntriesQuery(DecisionsQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which entries to return."""

    op: Annotated[str, Meta(max_length=500, description="The kind of entry.")] = ""


class TimelineQuery(ListQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which session's events to return."""

    session: Text


class HooksQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The period to count."""

    since: Span = "7d"


class PolicyQuery(HooksQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The folder whose policy is wanted; without one, the policy that applies everywhere."""

    folder: Folder = ""


@endpoint("/decisions", query=DecisionsQuery)
def decisions(asked: Asked) -> EntriesPage:
    """Decisions, newest first."""
    return _page(asked, "decision")


@endpoint("/decisions/{name}")
def decision(asked: Asked) -> DecidedCall:
    """One decision with every hook that ran, by its seq or id."""
    with missing(LedgerError), asked.site.reading() as connection:
        found = call_of(connection, asked.name)
    end = _whole(found.end) if found.end else None
    return DecidedCall(entry=_whole(found.entry), trace=found.trace, end=end, end_trace=found.end_trace)


@endpoint("/ledger", query=EntriesQuery)
def ledger(asked: Asked) -> EntriesPage:
    """Entries of the ledger, newest first."""
    return _page(asked, asked.query.op)


@endpoint("/ledger/{name}")
def entry(asked: Asked) -> ProvedEntry:
    """One entry with its proof, by its seq or id."""
    with missing(LedgerError), asked.site.reading() as connection:
        found = proved(connection, asked.name)
    standing = found.standing
    checkpoint = standing.checkpoint.seq if standing.checkpoint else None
    proof = Proof(holds=standing.holds, first=standing.first, last=standing.last, checkpoint=checkpoint)
    return ProvedEntry(entry=_whole(found.entry), proof=proof)


@endpoint("/sessions", query=ListQuery)
def sessions(asked: Asked) -> SessionsPage:
    """Sessions, the most recently active first."""
    site, limit = asked.site, asked.query.limit
    with site.reading() as connection, indexed(site.places.database, connection) as index:
        found = seen_sessions(index.connection, limit=limit + 1, before=asked.query.before)
        lag = index.lag
    before = found[limit - 1].newest if len(found) > limit else None
    return SessionsPage(sessions=found[:limit], before=before, lag=lag)


@endpoint("/timeline", query=TimelineQuery)
def timeline(asked: Asked) -> Timeline:
    """The events of one session, oldest first."""
    query = asked.query
    with asked.site.reading() as connection:
        return timeline_of(connection, query.session, limit=query.limit, before=query.before)


@endpoint("/hooks", query=HooksQuery)
def hooks(asked: Asked) -> HooksFound:
    """What each hook did: calls, votes, failures and durations."""
    window, site = window_of(asked.query.since, dt.datetime.now(dt.UTC)), asked.site
    with site.reading() as connection, indexed(site.places.database, connection) as index:
        return hooks_in(index, window)


@endpoint("/policy", query=PolicyQuery)
def policy(asked: Asked) -> PolicyFound:
    """The rules in force in a folder, and how often each matched."""
    folder, site = asked.query.folder, asked.site
    loaded = policies_of(site.places).for_folder(folder)
    window = window_of(asked.query.since, dt.datetime.now(dt.UTC))
    with site.reading() as connection, indexed(site.places.database, connection) as index:
        figures = hook_figures(index.connection, window)
    return PolicyFound(
        folder=folder,
        revision=loaded.revision,
        usable=loaded.usable,
        problem=None if loaded.problem is None else str(loaded.problem),
        notice=loaded.notice or None,
        rules=rules_of(pipeline_rows(loaded.engine.hooks), figures),
    )


def _page(asked: Asked, op: str) -> EntriesPage:
    site, query = asked.site, asked.query
    names = ("session", "actor", "tool", "decision", "rule", "since", "until")
    wanted = Filter(op=op or None, **{name: getattr(query, name) or None for name in names})
    question = _question(query.q)
    with site.reading() as connection, indexed(site.places.database, connection) as index:
        found = page_of(connection, index, wanted, question, limit=query.limit, before=query.before)
        return EntriesPage(entries=found.entries, before=found.before, lag=index.lag)


def _question(text: str) -> Question | None:
    try:
        return parse_question(text) if text.strip() else None
    except InterlockError as error:
        raise HTTPException(400, str(error)) from None


def _whole(found: Entry) -> Whole:
    fields: dict[str, Any] = {name: getattr(found, name, None) for name in Whole.__struct_fields__}
    hashes = {"prev_hash": found.prev_hash.hex(), "hash": found.hash.hex()}
    return Whole(**{**fields, **hashes, "session": found.session_id})


@cache
def all_endpoints() -> tuple[Endpoint, ...]:
    """The kernel's endpoints, then those of the features."""
    own = (decisions, decision, ledger, entry, sessions, timeline, hooks, policy)
    return (*own, *(one for feature in features() for place in feature.api for one in feature.load(place)))
