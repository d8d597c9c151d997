"""How an endpoint is made: a function with its path, the parameters it takes and the record it returns.

The OpenAPI document is made of the same records, so their docstrings are what its readers see.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Final, get_type_hints

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.web.page import CSRF, check_csrf, person_of, read_body, visit_of
from interlock.web.site import Site, site_of

BASE: Final = "/api/v1"
CSRF_HEADER: Final = "x-csrf-token"
_JSON: Final = "application/json"
_TIME: Final = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?Z)?)?$"

Text = Annotated[str, Meta(max_length=500)]
Limit = Annotated[int, Meta(ge=1, le=500, description="The most results to return.")]
Before = Annotated[int, Meta(ge=1, le=2**62, description="The `before` of the previous page.")]
Time = Annotated[
    str, Meta(pattern=_TIME, description="A time in UTC, such as `2026-01-31T12:00:00Z`, or a day.")
]
Span = Annotated[str, Meta(pattern="^(24h|7d|30d)$", description="`24h`, `7d` or `30d`.")]
Folder = Annotated[str, Meta(max_length=4_096, pattern=r"^(/[^\x00]*)?$", description="An absolute path.")]


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a request was refused, in one sentence."""

    error: str


class Nothing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """No parameters."""


class ListQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One page of a list; without `before` it is the first."""

    limit: Limit = 50
    before: Before | None = None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request, as its endpoint gets it."""

    site: Site
    query: Any  # of the endpoint's type
    body: Any = None  # of the endpoint's type
    person: str | None = None  # whose login or key it is
    name: str = ""  # the `{name}` in the path


Answer = Callable[[Asked], msgspec.Struct]


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One path of the API; with a body it takes POST and changes something."""

    path: str  # below `BASE`
    name: str
    summary: str
    gives: type[msgspec.Struct]
    answer: Answer
    query: type[msgspec.Struct] = Nothing
    body: type[msgspec.Struct] | None = None

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"

    def route(self) -> Route:
        return Route(f"{BASE}{self.path}", self._respond, methods=[self.method])

    async def _respond(self, request: Request) -> Response:
        body = None
        if self.body is not None:
            _check_form(request)
            body = _decode(await read_body(request, _JSON), self.body)
        asked = Asked(
            site=site_of(request),
            query=_query(request, self.query),
            body=body,
            person=person_of(request),
            name=request.path_params.get("name", ""),
        )
        return json_response(await run_in_threadpool(self.answer, asked))


def endpoint(
    path: str, *, query: type[msgspec.Struct] = Nothing, body: type[msgspec.Struct] | None = None
) -> Callable[[Answer], Endpoint]:
    """Make a function an endpoint; the document shows its name, its docstring and the record it returns."""

    def decorate(answer: Answer) -> Endpoint:
        return Endpoint(
            path=path,
            name=answer.__name__,
            summary=(answer.__doc__ or "").strip(),
            gives=get_type_hints(answer)["return"],
            answer=answer,
            query=query,
            body=body,
        )

    return decorate


def problem(status: int, text: str) -> Response:
    """A refusal as JSON."""
    return json_response(Problem(error=text), status)


def json_response(found: object, status: int = 200) -> Response:
    """A record as JSON."""
    # `enc_hook` for `VisibleText`, which is no plain `str`.
    return Response(msgspec.json.encode(found, enc_hook=str), status_code=status, media_type=_JSON)


def _check_form(request: Request) -> None:
    """Check the form's token of a login: a browser sends its cookie from any page, but no key."""
    visit = visit_of(request)
    if not visit.keyed:
        check_csrf({CSRF: request.headers.get(CSRF_HEADER, "")}, visit.session)


def _query(request: Request, kind: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.convert(dict(request.query_params), kind, strict=False)
    except msgspec.ValidationError as error:
        raise HTTPException(400, f"a parameter is wrong: {error}") from None


def _decode(data: bytes, kind: type[msgspec.Struct]) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HTTPException(400, f"the body is wrong: {error}") from None
