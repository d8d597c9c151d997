"""Approvals on the dashboard and in its API: what agents ask, shown from the hashed bytes, and answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from sqlite3 import Connection
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, Response

from interlock.errors import ApprovalError
from interlock.events.actor import in_words
from interlock.events.verdict import Vote
from interlock.features.approvals.render import RenderedCall, render_request, summary
from interlock.features.approvals.requests import Request, Requests, number_of, request_of
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import read_stored
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.allowing import Allowing
from interlock.policy.files.words import duration
from interlock.store.clock import timestamp
from interlock.store.statements import statements
from interlock.web.api.endpoint import Asked, endpoint
from interlock.web.live import event, stream
from interlock.web.monitoring import Metric, gauge
from interlock.web.page import Form, Page, back_to, fragment, missing, person_of, render, visit_of
from interlock.web.policies import allowing_of
from interlock.web.rendering import VisibleText
from interlock.web.site import RefusedError, Site, site_of

_WAITING: Final = 50
_ANSWERED: Final = 20


def pending_names(connection: Connection) -> list[str]:
    """Those that wait and have not expired, oldest first."""
    rows = connection.execute(statements("web")["pending"], (timestamp(time.time()),))
    return [f"ap_{number}" for (number,) in rows]


def waiting(connection: Connection) -> list[Request]:
    """The oldest of those that wait: an agent may ask more than a person reads at once."""
    return _rows(connection, "waiting", _WAITING)


def answered(connection: Connection) -> list[Request]:
    """The latest ones that no longer wait, newest first."""
    return _rows(connection, "answered", _ANSWERED)


def _rows(connection: Connection, name: str, limit: int) -> list[Request]:
    values = {"now": timestamp(time.time()), "limit": limit}
    return [request_of(row) for row in connection.execute(statements("web")[name], values)]


_LOOK_SECONDS: Final = 0.5


async def pending_events(request: HttpRequest) -> Response:
    """The names of the waiting requests, now and whenever they change."""
    return stream(visit_of(request), _pending(site_of(request)))


async def _pending(site: Site) -> AsyncGenerator[bytes]:
    sent: list[str] | None = None
    with site.reading() as connection:
        while True:
            found = pending_names(connection)
            # Yield even without news: that is when the end of a login is noticed.
            yield event("pending", found) if found != sent else b""
            sent = found
            await asyncio.sleep(_LOOK_SECONDS)


SPANS: Final = {"1h": "for an hour", "12h": "for 12 hours", "1d": "for a day", "7d": "for a week"}


class Card(msgspec.Struct, frozen=True, kw_only=True):
    request: Request
    state: str
    only: str  # who may approve, if the policy names people
    line: str = ""  # the call in one line
    call: RenderedCall | None = None
    problem: str = ""  # why the call cannot be shown; it cannot be approved either
    allowing: Allowing | None = None  # the lines of policy that would allow it


class ApprovalsView(msgspec.Struct, frozen=True, kw_only=True):
    waiting: list[Card]
    more: int  # how many others wait
    answered: list[Card]
    passphrase: bool  # whether an approval needs one
    spans: dict[str, str]  # how long a pattern may be granted


def show(request: HttpRequest) -> Response:
    return render(request, "approvals", _view(site_of(request)))


def show_waiting(request: HttpRequest) -> Response:
    """Only the waiting ones, to refresh a page that is open."""
    return HTMLResponse(fragment(request, "approvals_waiting.html", _view(site_of(request))))


def submit_approval(request: HttpRequest, form: Form) -> Response:
    wanted = {"note": form.get("note") or None, "grant": _grant(form), "passphrase": form.get("passphrase")}
    return _submit(request, form, "approvals.approve", wanted)


def submit_denial(request: HttpRequest, form: Form) -> Response:
    return _submit(request, form, "approvals.deny", {"note": form.get("note") or None})


def _submit(request: HttpRequest, form: Form, method: str, params: dict[str, Any]) -> Response:
    name, digest = request.path_params["name"], form.get("digest", "")
    _answer(site_of(request), method, name, digest, {"person": person_of(request), **params})
    return back_to("/approvals")


def _answer(site: Site, method: str, name: str, digest: str, params: dict[str, Any]) -> None:
    """Answer what was seen and nothing else, also if the database was replaced meanwhile."""
    with missing(ApprovalError):
        number = number_of(name)
    with site.reading() as connection:
        found = Requests(connection).get(number)
    if found is None or found.digest != digest:
        raise HTTPException(409, f"`{name}` is not the request this page showed; reload the page")
    (result,) = site.ask(method, {"ids": [name], **params})["results"]
    if "error" in result:
        raise RefusedError(result["error"])


def _grant(form: Form) -> dict[str, Any] | None:
    match form.get("grant", "once"):
        case "once":
            return None
        case "session":
            return {}
        case "pattern" if form.get("until") in SPANS:
            until = timestamp(time.time() + duration(form["until"]))
            return {"pattern": form.get("pattern", "").strip(), "until": until}
        case other:
            raise HTTPException(400, f"`{other}` is not a grant; choose one from the list")


def _view(site: Site) -> ApprovalsView:
    with site.reading() as connection:
        asked, over = waiting(connection), answered(connection)
        number = len(pending_names(connection))
    return ApprovalsView(
        waiting=[_whole(one, site) for one in asked],
        more=max(number - len(asked), 0),
        answered=[_brief(one) for one in over],
        passphrase=read_stored(site.places.state / PASSPHRASE) is not None,
        spans=SPANS,
    )


def _whole(asked: Request, site: Site) -> Card:
    card = _card(asked)
    try:
        call = _mark_safe(render_request(asked, CLAUDE_CODE_TOOLS))
        event = msgspec.structs.replace(asked.content.as_event(asked.project or None), actor=asked.actor)
        # Where the policy names approvers, no line in a file can allow it.
        way = None if asked.approvers else allowing_of(site.places, event, Vote.ASK)
        return msgspec.structs.replace(card, call=call, allowing=way)
    except ApprovalError as error:
        return msgspec.structs.replace(card, problem=str(error))


def _mark_safe(call: RenderedCall) -> RenderedCall:
    """Mark the texts as safe: `render` already made every character visible."""
    lists = {
        name: tuple(map(VisibleText, getattr(call, name))) for name in ("call", "claim", "facts", "warnings")
    }
    return RenderedCall(title=VisibleText(call.title), **lists)


def _brief(asked: Request) -> Card:
    card = _card(asked)
    try:
        return msgspec.structs.replace(card, line=VisibleText(summary(asked, CLAUDE_CODE_TOOLS)))
    except ApprovalError as error:
        return msgspec.structs.replace(card, problem=str(error))


def _card(asked: Request) -> Card:
    only = " and ".join(in_words(group) for group in asked.approvers)
    return Card(request=asked, state=_state_now(asked), only=only)


def _state_now(asked: Request) -> str:
    """The daemon marks a request as expired only when it is next asked about it."""
    over = asked.state == "pending" and asked.expires_at <= timestamp(time.time())
    return "expired" if over else asked.state


def _count(connection: Connection) -> int:
    return len(pending_names(connection))


def _metrics(connection: Connection) -> Iterator[Metric]:
    yield gauge("approvals_pending", "Requests waiting for a person.", _count(connection))


PAGE = Page(
    name="approvals",
    title="Approvals",
    order=20,
    shows={
        "/approvals": show,
        "/approvals/waiting": show_waiting,
        "/pending/events": pending_events,
    },
    does={"/approvals/{name}/approve": submit_approval, "/approvals/{name}/deny": submit_denial},
    waiting=_count,
    metrics=_metrics,
)


Note = Annotated[str, Meta(max_length=2_000)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="The digest of the call you saw.")]


class AskedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A request with the exact call it is about."""

    name: str
    state: str
    digest: str
    session: str
    actor: str
    tool: str | None
    reason: str | None
    rule: str | None
    project: str
    approvers: tuple[tuple[str, ...], ...]
    requested_at: str
    expires_at: str
    decided_by: str | None
    decided_at: str | None
    note: str | None
    call: RenderedCall | None
    problem: str | None  # why the call cannot be shown; it cannot be approved either


class ApprovalsFound(msgspec.Struct, frozen=True, kw_only=True):
    """Waiting requests, oldest first, and the latest answered or expired ones, newest first."""

    waiting: tuple[AskedCall, ...]
    answered: tuple[AskedCall, ...]


class Grant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an approval covers: this call in its session or, with both fields, a pattern until a time."""

    pattern: Annotated[str, Meta(max_length=2_000)] | None = None
    until: Annotated[str, Meta(max_length=100)] | None = None


class Approve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An approval; without a grant it allows one call."""

    digest: Digest
    note: Note | None = None
    grant: Grant | None = None
    passphrase: Annotated[str, Meta(max_length=1_000)] | None = None


class Deny(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A denial."""

    digest: Digest
    note: Note | None = None


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request."""

    name: str
    state: str


@endpoint("/approvals")
def approvals(asked: Asked) -> ApprovalsFound:
    """Requests that wait for a person, and the latest ones that were answered or have expired."""
    with asked.site.reading() as connection:
        waits, over = waiting(connection), answered(connection)
    return ApprovalsFound(waiting=tuple(map(_to_asked, waits)), answered=tuple(map(_to_asked, over)))


@endpoint("/approvals/{name}/approve", body=Approve)
def approve(asked: Asked) -> Answered:
    """Approve a request."""
    body: Approve = asked.body
    given = msgspec.structs.asdict(body.grant) if body.grant is not None else None
    grant = given and {name: value for name, value in given.items() if value is not None}
    params = {"note": body.note, "grant": grant, "passphrase": body.passphrase}
    return _answer_asked(asked, "approvals.approve", params, "approved")


@endpoint("/approvals/{name}/deny", body=Deny)
def deny(asked: Asked) -> Answered:
    """Deny a request."""
    return _answer_asked(asked, "approvals.deny", {"note": asked.body.note}, "denied")


def _answer_asked(asked: Asked, method: str, params: dict[str, Any], state: str) -> Answered:
    _answer(asked.site, method, asked.name, asked.body.digest, {"person": asked.person, **params})
    return Answered(name=asked.name, state=state)


def _to_asked(request: Request) -> AskedCall:
    call, problem = None, None
    try:
        call = render_request(request, CLAUDE_CODE_TOOLS)
    except ApprovalError as error:
        problem = str(error)
    fields: dict[str, Any] = {name: getattr(request, name, None) for name in AskedCall.__struct_fields__}
    fields |= {"state": _state_now(request), "session": request.session_id}
    return AskedCall(**{**fields, "call": call, "problem": problem})


ENDPOINTS: Final = (approvals, approve, deny)
