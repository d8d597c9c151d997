"""Checks every request before a page sees it: where it was sent, by whom, and from which page."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Final, final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from interlock.errors import InterlockError
from interlock.web.auth.credentials import COOKIE, Session
from interlock.web.auth.peers import UNTOLD, Peer
from interlock.web.rendering import templates
from interlock.web.site import Site


class ClosedView(msgspec.Struct, frozen=True, kw_only=True):
    """The page of the way in, without a token."""

    token: str = ""
    problem: str = "this browser is not logged in, or its login has ended"


def closed_page() -> HTMLResponse:
    """The same whatever was asked for: that would tell which pages there are."""
    frame = {"here": "", "section": "", "pages": (), "person": "", "csrf": "", "csrf_field": "", "pending": 0}
    text = templates().get_template("login.html").render(view=ClosedView(), **frame)
    return HTMLResponse(text, status_code=401)


SAFE: Final = frozenset({"GET", "HEAD"})
_OPEN: Final = ("/login", "/static/")  # what may be seen without a login; what is new stays closed
_HEALTH: Final = frozenset({"/healthz", "/readyz"})  # likewise: they tell one word
_STREAM: Final = "text/event-stream"
_HTML: Final = "text/html"
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not `no-referrer`: browsers then name no origin on our own forms either.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request is not heard."""

    status: int
    text: str
    session: str | None = None  # the agent's, when the attempt is to be recorded


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """One request with what is known of who makes it."""

    connection: HTTPConnection
    site: Site
    peer: Peer = UNTOLD
    session: Session | None = None
    keyed: bool = False  # by a key that no browser sends by itself

    @property
    def method(self) -> str:
        return str(self.connection.scope["method"])

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        return self.method not in SAFE

    @property
    def streams(self) -> bool:
        """Whether it asks for events as they happen."""
        return _STREAM in self.connection.headers.get("accept", "")

    def one(self, header: str) -> str | None:
        """A header that may stand once; None where it does not stand, or twice."""
        found = self.connection.headers.getlist(header)
        return found[0] if len(found) == 1 else None


Check = Callable[[Visit], Refusal | None]


def at_home(visit: Visit) -> Refusal | None:
    """A name that leads here and is not ours is a page elsewhere that wants to read along (DNS rebinding)."""
    if visit.one("host") in visit.site.hosts:
        return None
    return Refusal(
        status=403, text=f"this is the dashboard of {visit.site.hosts[0]}; open it under that name"
    )


def plain(visit: Visit) -> Refusal | None:
    """Nothing is upgraded to another protocol; which methods a page has, its route knows."""
    if "upgrade" in visit.connection.headers:
        return Refusal(status=403, text="no other protocol is served here")
    return None


def by_people(visit: Visit) -> Refusal | None:
    """An agent runs as the same user and could borrow a cookie; its process tree tells them apart."""
    if not visit.peer.refusal:
        return None
    # A browser drops what a page still asks when it is left: who reads nothing is nothing to tell of.
    dropped = visit.peer.left and not visit.changes
    return Refusal(status=403, text=visit.peer.refusal, session=None if dropped else visit.peer.session)


def from_here(visit: Visit) -> Refusal | None:
    """A form or a script elsewhere must neither change anything nor listen."""
    origin, site = visit.one("origin"), visit.one("sec-fetch-site")
    headers = visit.connection.headers
    same = origin == f"http://{visit.one('host')}"
    elsewhere = ("origin" in headers and not same) or (
        "sec-fetch-site" in headers and site not in {"same-origin", "none"}
    )
    if visit.changes:
        # Another port of this machine is the same site to a cookie, and another origin to this check.
        # No page elsewhere can make a browser send a key, and programs name no origin.
        return None if (same or visit.keyed) and not elsewhere else _STRANGER
    if visit.streams:
        # Browsers name no origin when a page listens to its own; they say then that it is its own.
        return None if not elsewhere and (same or site == "same-origin") else _STRANGER
    # Following a link from elsewhere shows a page to the person and to nobody else.
    return _STRANGER if elsewhere and headers.get("sec-fetch-mode") != "navigate" else None


_STRANGER: Final = Refusal(status=403, text="another page sent this; use the dashboard itself")


def logged_in(visit: Visit) -> Refusal | None:
    """Everything but the way in is for those who came by it."""
    path = visit.connection.url.path
    if visit.session is not None or path.startswith(_OPEN) or path in _HEALTH:
        return None
    return Refusal(status=401, text="you are not logged in; run `interlock ui` and open the link it prints")


# Each is asked only when those before it had nothing to say.
CHECKS: Final[tuple[Check, ...]] = (at_home, plain, by_people, from_here, logged_in)


@final
class Guard:
    """Passes a request on or answers it; there is no third way."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app: Final = app
        self._site: Final = site
        self._told: Final[set[int]] = set()  # connections whose refusal is recorded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # the server speaks nothing else; its start and end concern nobody here
        headed = _headed(send)
        visit = await run_in_threadpool(self._visit, HTTPConnection(scope))
        refusal = next((found for check in CHECKS if (found := check(visit))), None)
        if refusal is None:
            scope.setdefault("state", {})["visit"] = visit
            await self._app(scope, receive, headed)
            return
        if refusal.session is not None:
            await run_in_threadpool(self._record, visit, refusal)
        await _answer(visit, refusal)(scope, receive, headed)

    def _visit(self, connection: HTTPConnection) -> Visit:
        visit = Visit(connection=connection, site=self._site)
        client, server = connection.client, connection.scope.get("server")
        if client is None or server is None:
            return visit
        peer = self._site.peers.look((client.host, client.port), tuple(server), again=visit.changes)
        shown = visit.one("authorization")
        if shown is not None:  # then a cookie beside it counts for nothing
            keyed = self._site.api_keys.find(shown, connection.url.path)
            return Visit(
                connection=connection, site=self._site, peer=peer, session=keyed, keyed=keyed is not None
            )
        cookie = connection.cookies.get(COOKIE, "")
        # A stream that opens by itself again and again is not a sign of a person.
        session = self._site.logins.find(cookie, peer.holders, use=not visit.streams)
        return Visit(connection=connection, site=self._site, peer=peer, session=session)

    def _record(self, visit: Visit, refusal: Refusal) -> None:
        if visit.peer.socket and visit.peer.socket in self._told:  # 0 is nobody's: each is another
            return
        if len(self._told) > _MOST_TOLD:
            self._told.clear()
        self._told.add(visit.peer.socket)
        command = f"dashboard: {visit.method} {visit.connection.url.path}"
        with suppress(InterlockError):  # the daemon is going, and so are we
            self._site.ask(
                "ui.refused", {"command": command, "reason": refusal.text, "session_id": refusal.session}
            )


_MOST_TOLD: Final = 1_000  # connections whose refusal is on record; a bound on memory


def _answer(visit: Visit, refusal: Refusal) -> Response:
    if refusal.status == HTTPStatus.UNAUTHORIZED and _HTML in visit.connection.headers.get("accept", ""):
        return closed_page()
    return PlainTextResponse(f"{refusal.text}\n", status_code=refusal.status)


def _headed(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return with_headers
