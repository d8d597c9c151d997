"""Every address of the API; the routes and the document that tells of them are made of this list."""

from __future__ import annotations

from functools import cache
from typing import Final

from interlock.feature import features
from interlock.web.api import entries, figures, queries
from interlock.web.api.endpoint import Endpoint
from interlock.web.queries.timeline import Timeline

_OWN: Final = (
    Endpoint(
        path="/decisions",
        name="decisions",
        summary="Decisions, the newest first.",
        query=queries.DecisionsQuery,
        gives=entries.EntriesPage,
        answer=entries.decisions,
    ),
    Endpoint(
        path="/decisions/{name}",
        name="decision",
        summary="One decision with every hook that was asked, by its seq or id.",
        gives=entries.DecidedCall,
        answer=entries.decision,
    ),
    Endpoint(
        path="/ledger",
        name="ledger",
        summary="Entries of the ledger, the newest first.",
        query=queries.EntriesQuery,
        gives=entries.EntriesPage,
        answer=entries.entries,
    ),
    Endpoint(
        path="/ledger/{name}",
        name="entry",
        summary="One entry with its proof, by its seq or id.",
        gives=entries.ProvedEntry,
        answer=entries.entry,
    ),
    Endpoint(
        path="/sessions",
        name="sessions",
        summary="Sessions, the one that did something last first.",
        query=queries.ListQuery,
        gives=entries.SessionsPage,
        answer=entries.sessions,
    ),
    Endpoint(
        path="/timeline",
        name="timeline",
        summary="The moments of one session, oldest first.",
        query=queries.TimelineQuery,
        gives=Timeline,
        answer=entries.timeline,
    ),
    Endpoint(
        path="/hooks",
        name="hooks",
        summary="What every hook did: calls, votes, failures and durations.",
        query=queries.HooksQuery,
        gives=figures.HooksFound,
        answer=figures.hooks,
    ),
    Endpoint(
        path="/policy",
        name="policy",
        summary="The pipeline in force in a folder, with what each rule matched.",
        query=queries.PolicyQuery,
        gives=figures.PolicyFound,
        answer=figures.policy,
    ),
)


@cache
def all_endpoints() -> tuple[Endpoint, ...]:
    """Ours, then those of features."""
    of_features = (endpoint for one in features() for place in one.api for endpoint in one.load(place))
    return (*_OWN, *of_features)
