"""How an endpoint is made: its address, what it takes and what it gives, all of it told by records."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.web.auth.form import CSRF, check_csrf
from interlock.web.page import person_of, visit_of
from interlock.web.site import Site, site_of

BASE: Final = "/api/v1"
CSRF_HEADER: Final = "x-csrf-token"
_MOST_BYTES: Final = 64 * 1024
_JSON: Final = "application/json"


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why something was not done, in a sentence."""

    error: str


class Nothing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An address without parameters."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request as its endpoint sees it."""

    site: Site
    query: Any  # of the endpoint's type
    body: Any = None  # likewise
    person: str | None = None  # whose login or key it is
    name: str = ""  # what stands for `{name}` in the address


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One address of the API; with a body it is posted to and changes something."""

    path: str  # below `BASE`
    name: str
    summary: str
    gives: type[msgspec.Struct]
    answer: Callable[[Asked], msgspec.Struct]
    query: type[msgspec.Struct] = Nothing
    body: type[msgspec.Struct] | None = None

    @property
    def method(self) -> str:
        """By which it is asked."""
        return "GET" if self.body is None else "POST"

    def route(self) -> Route:
        """What the router is given."""
        return Route(f"{BASE}{self.path}", _answering(self), methods=[self.method])


def problem(status: int, text: str) -> Response:
    """A refusal as programs read it."""
    return answered(Problem(error=text), status)


def answered(found: object, status: int = 200) -> Response:
    """A record as JSON."""
    # Of what is no plain text, as `Seen`, its text.
    return Response(msgspec.json.encode(found, enc_hook=str), status_code=status, media_type=_JSON)


def _answering(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def answering(request: Request) -> Response:
        body = None
        if endpoint.body is not None:
            _check_form(request)
            body = _read(await _sent(request), endpoint.body)
        asked = Asked(
            site=site_of(request),
            query=_query(request, endpoint.query),
            body=body,
            person=person_of(request),
            name=request.path_params.get("name", ""),
        )
        return answered(await run_in_threadpool(endpoint.answer, asked))

    return answering


def _check_form(request: Request) -> None:
    """A browser sends its cookie for everybody; a key is sent only by who has it."""
    visit = visit_of(request)
    if not visit.keyed:
        check_csrf({CSRF: request.headers.get(CSRF_HEADER, "")}, visit.session)


def _query(request: Request, kind: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.convert(dict(request.query_params), kind, strict=False)
    except msgspec.ValidationError as error:
        raise HTTPException(400, f"the parameters do not fit: {error}") from None


async def _sent(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _JSON:
        raise HTTPException(415, f"this takes `{_JSON}` and nothing else")
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > _MOST_BYTES:
            raise HTTPException(413, f"a body has {_MOST_BYTES // 1024} KB at most; shorten it")
    return data


def _read(data: bytes, kind: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HTTPException(400, f"the body does not fit: {error}") from None
