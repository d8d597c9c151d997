"""Checks every request before a page sees it: its host, its process, its origin and its login."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from typing import Final, final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from interlock.daemon.caller_kind import Kind
from interlock.errors import InterlockError
from interlock.web.auth.credentials import COOKIE, LOGIN_SECONDS, Session
from interlock.web.auth.peers import UNKNOWN, Peer
from interlock.web.page import Form, Page, back_to, read_form, render, visit_of
from interlock.web.rendering import templates
from interlock.web.site import Site, site_of

HOME: Final = "/live"
_SAFE: Final = frozenset({"GET", "HEAD"})
# Open without a login; new paths stay closed.
_OPEN: Final = ("/login", "/static/")
_HEALTH: Final = frozenset({"/healthz", "/readyz"})
_STREAM: Final = "text/event-stream"
_HTML: Final = "text/html"
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not `no-referrer`: browsers would then send no origin with our own forms either.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request is refused."""

    status: int
    text: str
    session: str | None = None  # the agent's, if the attempt must be recorded


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """A request, and who makes it."""

    connection: HTTPConnection
    site: Site
    peer: Peer = UNKNOWN
    session: Session | None = None
    keyed: bool = False  # with an API key, which no browser sends by itself

    @property
    def method(self) -> str:
        return str(self.connection.scope["method"])

    @property
    def changes(self) -> bool:
        """Whether it may change something."""
        return self.method not in _SAFE

    @property
    def streams(self) -> bool:
        return _STREAM in self.connection.headers.get("accept", "")

    def one(self, header: str) -> str | None:
        """The value of a header; None if it is missing or sent twice."""
        found = self.connection.headers.getlist(header)
        return found[0] if len(found) == 1 else None


Check = Callable[[Visit], Refusal | None]


def at_home(visit: Visit) -> Refusal | None:
    """Refuse any other host name: it is another site's page that wants to read ours (DNS rebinding)."""
    if visit.one("host") in visit.site.hosts:
        return None
    return Refusal(
        status=403, text=f"this is the dashboard of {visit.site.hosts[0]}; open it under that name"
    )


def plain(visit: Visit) -> Refusal | None:
    """Refuse to upgrade to another protocol."""
    if "upgrade" in visit.connection.headers:
        return Refusal(status=403, text="no other protocol is served here")
    return None


def by_people(visit: Visit) -> Refusal | None:
    """Refuse agents: they run as the same user and could copy a cookie, but their process gives them away."""
    if not visit.peer.refusal:
        return None
    # A browser drops open requests when it leaves a page; that is no attempt to record.
    dropped = visit.peer.left and not visit.changes
    return Refusal(status=403, text=visit.peer.refusal, session=None if dropped else visit.peer.session)


def from_here(visit: Visit) -> Refusal | None:
    """Refuse forms and scripts of other sites: they must neither change anything nor listen."""
    origin, site = visit.one("origin"), visit.one("sec-fetch-site")
    headers = visit.connection.headers
    same = origin == f"http://{visit.one('host')}"
    elsewhere = ("origin" in headers and not same) or (
        "sec-fetch-site" in headers and site not in {"same-origin", "none"}
    )
    if visit.changes:
        # For a cookie another port of this machine is the same site; for this check it is another origin.
        # No other site can make a browser send a key, and programs send no origin.
        return None if (same or visit.keyed) and not elsewhere else _STRANGER
    if visit.streams:
        # Browsers send no origin when a page listens to its own site, but they say `same-origin`.
        return None if not elsewhere and (same or site == "same-origin") else _STRANGER
    # Following a link from another site shows the page only to the person.
    return _STRANGER if elsewhere and headers.get("sec-fetch-mode") != "navigate" else None


_STRANGER: Final = Refusal(status=403, text="another page sent this; use the dashboard itself")


def logged_in(visit: Visit) -> Refusal | None:
    """Refuse everything but the login page to those who are not logged in."""
    path = visit.connection.url.path
    if visit.session is not None or path.startswith(_OPEN) or path in _HEALTH:
        return None
    return Refusal(status=401, text="you are not logged in; run `interlock ui` and open the link it prints")


# Each runs only if those before it let the request pass.
CHECKS: Final[tuple[Check, ...]] = (at_home, plain, by_people, from_here, logged_in)


@final
class Guard:
    """Passes a request on or refuses it."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app: Final = app
        self._site: Final = site
        self._recorded: Final[set[int]] = set()  # sockets whose refusal is recorded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # the server offers nothing else; its start and end need nothing here
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
        visit, site = Visit(connection=connection, site=self._site), self._site
        client, server = connection.client, connection.scope.get("server")
        if client is None or server is None:
            return visit
        peer = site.peers.look((client.host, client.port), tuple(server), again=visit.changes)
        header = visit.one("authorization")
        if header is not None:  # a cookie beside it is ignored
            session = site.api_keys.find(header, connection.url.path)
        else:
            cookie = connection.cookies.get(COOKIE, "")
            # A stream that reopens by itself is not a sign of a person.
            session = site.logins.find(cookie, peer.holders, use=not visit.streams)
        keyed = header is not None and session is not None
        return Visit(connection=connection, site=site, peer=peer, session=session, keyed=keyed)

    def _record(self, visit: Visit, refusal: Refusal) -> None:
        if visit.peer.socket and visit.peer.socket in self._recorded:  # 0 is unknown: each is another
            return
        if len(self._recorded) > _MOST_RECORDED:
            self._recorded.clear()
        self._recorded.add(visit.peer.socket)
        command = f"dashboard: {visit.method} {visit.connection.url.path}"
        with suppress(InterlockError):  # the daemon is ending, and so is the dashboard
            self._site.ask(
                "ui.refused", {"command": command, "reason": refusal.text, "session_id": refusal.session}
            )


_MOST_RECORDED: Final = 1_000


def _answer(visit: Visit, refusal: Refusal) -> Response:
    if refusal.status == HTTPStatus.UNAUTHORIZED and _HTML in visit.connection.headers.get("accept", ""):
        # The same page for every path, or it would tell which pages exist.
        view = LoginView(token="", problem="this browser is not logged in, or its login has ended")
        frame = dict.fromkeys(("here", "section", "person", "csrf", "csrf_field"), "")
        text = templates().get_template("login.html").render(view=view, pages=(), pending=0, **frame)
        return HTMLResponse(text, status_code=401)
    return PlainTextResponse(f"{refusal.text}\n", status_code=refusal.status)


def _headed(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return with_headers


class LoginView(msgspec.Struct, frozen=True, kw_only=True):
    token: str
    problem: str = ""
    passphrase: bool = False  # whether to ask for it


def show_login(request: Request) -> Response:
    """Ask for a click, so that a preview or a scanner that opens the link does not use it up."""
    token = request.query_params.get("token", "")[:200]
    return render(request, "login", LoginView(token=token, passphrase=_is_unclear(request)))


async def log_in(request: Request) -> Response:
    """Exchange the link's token for a cookie."""
    form, site = await read_form(request), site_of(request)
    if _is_unclear(request):
        try:
            await site.passphrase.prove(form.get("passphrase", ""))
        except InterlockError as error:
            # The link stays valid, so that a person who mistyped can try again.
            view = LoginView(token=form.get("token", "")[:200], problem=str(error), passphrase=True)
            return render(request, "login", view, status=403)
    person = site.login_links.take(form.get("token", ""))
    if person is None:
        problem = "this link was already used or has expired; run `interlock ui` for a new one"
        return render(request, "login", LoginView(token="", problem=problem), status=403)
    visit = visit_of(request)
    if visit.session is not None:
        site.logins.end(visit.session)  # one browser has one login
    cookie, _ = site.logins.begin(visit.peer.holders, person)
    answer = back_to(HOME)
    answer.set_cookie(COOKIE, cookie, max_age=int(LOGIN_SECONDS), path="/", httponly=True, samesite="strict")
    return answer


def _is_unclear(request: Request) -> bool:
    """Whether this browser may be an agent's, and a passphrase can settle it."""
    site = site_of(request)
    return site.passphrase.is_set and site.peers.standing(visit_of(request).peer) is not Kind.PERSON


def log_out(request: Request, _: Form) -> Response:
    session = visit_of(request).session
    if session is not None:
        site_of(request).logins.end(session)
    answer = back_to("/login")
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


# Not in `does`: a form needs a login; here the token and the origin take its place.
LOGIN = Route("/login", log_in, methods=["POST"])
LOGIN_PAGE = Page(
    name="login",
    title="Log in",
    order=90,
    shows={"/login": show_login},
    does={"/logout": log_out},
    listed=False,
)
