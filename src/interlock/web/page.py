"""How a page is made: what it shows on GET, what it does on POST, and the frame around it."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from sqlite3 import Connection
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, compile_path

from interlock.errors import InterlockError, StoreError
from interlock.feature import features
from interlock.web.auth.credentials import Session
from interlock.web.monitoring import Metric
from interlock.web.rendering import templates
from interlock.web.site import site_of

if TYPE_CHECKING:
    from interlock.web.auth.guard import Visit


CSRF: Final = "csrf"  # the form's field
_TYPE: Final = "application/x-www-form-urlencoded"
_MOST_BYTES: Final = 64 * 1024
_MOST_FIELDS: Final = 100

Form = Mapping[str, str]


async def read_form(request: Request) -> Form:
    """The fields of a form; the last value of a repeated name."""
    data = await read_body(request, _TYPE)
    try:
        fields = parse_qsl(
            data.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise HTTPException(
            400, "this form could not be read; go back to the page and send it again"
        ) from None
    return dict(fields)


async def read_body(request: Request, kind: str) -> bytes:
    """The body of a request, if it has the expected type and is small."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != kind:
        raise HTTPException(415, f"the body must be `{kind}`")
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > _MOST_BYTES:
            raise HTTPException(413, f"the body is larger than {_MOST_BYTES // 1024} KB; shorten it")
    return data


def check_csrf(form: Form, session: Session | None) -> None:
    """Refuse a form that does not come from a page of this login."""
    given = form.get(CSRF, "").encode("utf-8", "replace")
    if session is None or not hmac.compare_digest(given, session.csrf.encode()):
        raise HTTPException(403, "this form belongs to another login; reload the page and try again")


Show = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]
Act = Callable[[Request, Form], Response]
_NOTHING: Final[Mapping[str, Act]] = MappingProxyType({})


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the dashboard; its template is `templates/NAME.html`."""

    name: str
    title: str
    order: int  # in the navigation, from the lowest
    shows: Mapping[str, Show]  # path → handler; the navigation leads to the first
    does: Mapping[str, Act] = _NOTHING  # path → what a form posted there does
    listed: bool = True  # in the navigation
    waiting: Callable[[Connection], int] | None = None  # how much waits for a person; at most one page has it
    metrics: Callable[[Connection], Iterable[Metric]] | None = None  # for `/metrics`

    @property
    def path(self) -> str:
        return next(iter(self.shows))

    def holds(self, path: str) -> bool:
        return any(compile_path(one)[0].match(path) for one in (*self.shows, *self.does))

    def routes(self) -> list[Route]:
        """The routes; every POST checks the form's token first."""
        shown = [Route(path, show, methods=["GET"]) for path, show in self.shows.items()]
        done = [Route(path, _checked(act), methods=["POST"]) for path, act in self.does.items()]
        return [*shown, *done]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What a feature adds at the end of another feature's page."""

    page: str  # the template that includes it
    file: str  # its own
    view: Callable[[Request], msgspec.Struct]


class PartView(msgspec.Struct, frozen=True, kw_only=True):
    file: str
    view: msgspec.Struct


@cache
def from_features() -> tuple[Page | Part, ...]:
    """The pages and parts of pages that features add."""
    return tuple(one.load(place) for one in features() for place in one.pages)


def _checked(act: Act) -> Callable[[Request], Awaitable[Response]]:
    async def checked(request: Request) -> Response:
        form = await read_form(request)
        check_csrf(form, visit_of(request).session)
        return await run_in_threadpool(act, request, form)

    return checked


def visit_of(request: Request) -> Visit:
    """Who makes the request, as the guard found out."""
    visit: Visit = request.state.visit
    return visit


def render(request: Request, template: str, view: msgspec.Struct, *, status: int = 200) -> HTMLResponse:
    """Render a whole page: the template inside the frame, with `view` as its data."""
    parts = [
        PartView(file=one.file, view=one.view(request))
        for one in from_features()
        if isinstance(one, Part) and one.page == template
    ]
    return HTMLResponse(fragment(request, f"{template}.html", view, parts), status_code=status)


def fragment(request: Request, file: str, view: msgspec.Struct, parts: Sequence[PartView] = ()) -> str:
    """Render a template with a view."""
    site, session, here = site_of(request), visit_of(request).session, request.url.path
    waited_for = next((page for page in site.pages if page.waiting is not None), None)
    waiting = 0
    if session is not None and waited_for is not None and waited_for.waiting is not None:
        with (
            suppress(StoreError),
            site.reading() as connection,
        ):  # the page that shows the error must not fail
            waiting = waited_for.waiting(connection)
    return (
        templates()
        .get_template(file)
        .render(
            view=view,
            parts=parts,
            here=here,
            section=next((page.name for page in site.pages if page.holds(here)), ""),
            pages=[page for page in site.pages if page.listed],
            person=session.person.removeprefix("human:") if session else "",
            csrf=session.csrf if session else "",
            csrf_field=CSRF,
            waited_for=waited_for.name if waited_for else "",
            waiting=waiting,
        )
    )


def person_of(request: Request) -> str | None:
    """The person who is logged in."""
    session = visit_of(request).session
    return session.person if session is not None else None


def back_to(path: str) -> RedirectResponse:
    """Redirect after a form has done its work."""
    return RedirectResponse(path, status_code=303)


@contextmanager
def missing(*errors: type[InterlockError]) -> Iterator[None]:
    """Answer that there is no such page, with the sentence of these errors."""
    try:
        yield
    except errors as error:
        raise HTTPException(404, str(error)) from None


_DIGITS: Final = 18  # the database accepts no longer number


def seq_of(text: str | None) -> int | None:
    """Parse a seq; None if it is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
