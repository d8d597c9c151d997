"""The page Approvals: what agents ask, shown from the bytes that were hashed, and answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator
from sqlite3 import Connection
from typing import Any, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from interlock.errors import ApprovalError
from interlock.events.actor import in_words
from interlock.events.verdict import Vote
from interlock.features.approvals.render import RenderedCall, render_request, summary
from interlock.features.approvals.requests import Request as Asked
from interlock.features.approvals.requests import Requests, number_of, request_of
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import read_stored
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.policy.allowing import Allowing
from interlock.policy.files.words import duration
from interlock.store.clock import timestamp
from interlock.store.statements import statements
from interlock.web.live import event, stream
from interlock.web.monitoring import Metric, gauge
from interlock.web.page import Form, Page, back_to, fragment, person_of, render, visit_of
from interlock.web.policies import allowing_of
from interlock.web.rendering import VisibleText
from interlock.web.site import RefusedError, Site, site_of

_WAITING: Final = 50
_ANSWERED: Final = 20


def pending_names(connection: Connection) -> list[str]:
    """Those that wait and have not expired, oldest first."""
    rows = connection.execute(statements("web")["pending"], (timestamp(time.time()),))
    return [f"ap_{number}" for (number,) in rows]


def waiting(connection: Connection) -> list[Asked]:
    """The oldest of those that wait: an agent may ask more than a person reads at once."""
    return _rows(connection, "waiting", _WAITING)


def answered(connection: Connection) -> list[Asked]:
    """The latest ones that no longer wait, newest first."""
    return _rows(connection, "answered", _ANSWERED)


def _rows(connection: Connection, name: str, limit: int) -> list[Asked]:
    values = {"now": timestamp(time.time()), "limit": limit}
    return [request_of(row) for row in connection.execute(statements("web")[name], values)]


_LOOK_SECONDS: Final = 0.5


async def pending_events(request: Request) -> Response:
    """The names of the waiting requests, now and whenever they change."""
    return stream(visit_of(request), _pending(site_of(request)))


async def _pending(site: Site) -> AsyncGenerator[bytes]:
    told: list[str] | None = None
    with site.reading() as connection:
        while True:
            found = pending_names(connection)
            # Yield even without news: that is when the end of a login is noticed.
            yield event("pending", found) if found != told else b""
            told = found
            await asyncio.sleep(_LOOK_SECONDS)


SPANS: Final = {"1h": "for an hour", "12h": "for 12 hours", "1d": "for a day", "7d": "for a week"}


class Card(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    state: str
    digest: str
    actor: str
    session: str
    tool: str
    reason: str
    rule: str
    only: str  # who may approve, if the policy names people
    asked: str
    expires: str
    answered_by: str
    note: str
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


def show(request: Request) -> Response:
    return render(request, "approvals", _view(site_of(request)))


def show_waiting(request: Request) -> Response:
    """Only the waiting ones, to refresh a page that is open."""
    return HTMLResponse(fragment(request, "approvals_waiting.html", _view(site_of(request))))


def approve(request: Request, form: Form) -> Response:
    wanted = {"note": form.get("note") or None, "grant": _grant(form), "passphrase": form.get("passphrase")}
    return _answer(request, form, "approvals.approve", wanted)


def deny(request: Request, form: Form) -> Response:
    return _answer(request, form, "approvals.deny", {"note": form.get("note") or None})


def _answer(request: Request, form: Form, method: str, params: dict[str, Any]) -> Response:
    site, name = site_of(request), request.path_params["name"]
    check_seen(site, name, form.get("digest", ""))
    (result,) = site.ask(method, {"ids": [name], "person": person_of(request), **params})["results"]
    if "error" in result:
        raise RefusedError(result["error"])
    return back_to("/approvals")


def check_seen(site: Site, name: str, digest: str) -> None:
    """Refuse an answer to anything but what the page showed, also if the database was replaced meanwhile."""
    try:
        number = number_of(name)
    except ApprovalError as error:
        raise HTTPException(404, str(error)) from None
    with site.reading() as connection:
        found = Requests(connection).get(number)
    if found is None or found.digest != digest:
        raise HTTPException(409, f"`{name}` is not the request this page showed; reload the page")


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


def _whole(asked: Asked, site: Site) -> Card:
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
    return RenderedCall(
        title=VisibleText(call.title),
        call=tuple(map(VisibleText, call.call)),
        claim=tuple(map(VisibleText, call.claim)),
        facts=tuple(map(VisibleText, call.facts)),
        warnings=tuple(map(VisibleText, call.warnings)),
    )


def _brief(asked: Asked) -> Card:
    card = _card(asked)
    try:
        return msgspec.structs.replace(card, line=VisibleText(summary(asked, CLAUDE_CODE_TOOLS)))
    except ApprovalError as error:
        return msgspec.structs.replace(card, problem=str(error))


def _card(asked: Asked) -> Card:
    return Card(
        name=asked.name,
        state=state_of(asked),
        digest=asked.digest,
        actor=asked.actor,
        session=asked.session_id,
        tool=asked.tool or "",
        reason=asked.reason or "",
        rule=asked.rule or "",
        only=" and ".join(in_words(group) for group in asked.approvers),
        asked=asked.requested_at,
        expires=asked.expires_at,
        answered_by=asked.decided_by or "",
        note=asked.note or "",
    )


def state_of(asked: Asked) -> str:
    """The state now: the daemon marks a request as expired only when it is next asked about it."""
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
    does={"/approvals/{name}/approve": approve, "/approvals/{name}/deny": deny},
    waiting=_count,
    metrics=_metrics,
)
