"""The page Sessions: those the ledger tells of, and the moments of one of them."""

from __future__ import annotations

from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.web.page import Page, render, seq_of
from interlock.web.pages import call
from interlock.web.queries.index import SeenSession, indexed, seen_session, seen_sessions
from interlock.web.queries.timeline import Item, timeline_of
from interlock.web.site import site_of

_PAGE = 50


class SessionsView(msgspec.Struct, frozen=True, kw_only=True):
    """Some sessions, the one that did something last first."""

    sessions: tuple[SeenSession, ...]
    older: str | None
    lag: int


class SessionView(msgspec.Struct, frozen=True, kw_only=True):
    """The moments of one session, oldest first."""

    id: str
    seen: SeenSession | None
    moments: tuple[Item, ...]
    older: str | None


def show(request: Request) -> Response:
    """The sessions, a page at a time."""
    site, before = site_of(request), seq_of(request.query_params.get("before"))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        found = seen_sessions(index.connection, limit=_PAGE + 1, before=before)
        lag = index.lag
    shown = found[:_PAGE]
    older = f"/sessions?{urlencode({'before': shown[-1].newest})}" if len(found) > _PAGE else None
    return render(request, "sessions", SessionsView(sessions=shown, older=older, lag=lag))


def show_one(request: Request) -> Response:
    """One session, by the host's id of it."""
    site, session = site_of(request), request.query_params.get("id", "")
    before = seq_of(request.query_params.get("before"))
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        line = timeline_of(ledger, session, before=before)
        seen = seen_session(index.connection, session)
    if not line.items and seen is None:
        raise HTTPException(404, f"there is no session `{session}`; the page Sessions lists them")
    older = f"/session?{urlencode({'id': session, 'before': line.before})}" if line.before else None
    return render(request, "session", SessionView(id=session, seen=seen, moments=line.items, older=older))


PAGE = Page(
    name="sessions",
    title="Sessions",
    order=30,
    shows={"/sessions": show, "/session": show_one, "/calls/{name}": call.show},
)
