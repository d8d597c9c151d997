"""How a page is made: what it shows by GET, what it does by POST, and the frame around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from sqlite3 import Connection
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, compile_path

from interlock.errors import StoreError
from interlock.feature import features
from interlock.web.auth.form import CSRF, Form, check_csrf, read_form
from interlock.web.exposition import Metric
from interlock.web.rendering import templates
from interlock.web.site import site_of

if TYPE_CHECKING:
    from interlock.web.auth.guard import Visit


Show = Callable[[Request], Response] | Callable[[Request], Awaitable[Response]]
Act = Callable[[Request, Form], Response]
_NOTHING: Final[Mapping[str, Act]] = MappingProxyType({})


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page of the dashboard; its template is `templates/NAME.html`."""

    name: str
    title: str
    order: int  # in the navigation, from the lowest
    shows: Mapping[str, Show]  # path → who answers; the first is where the navigation leads
    does: Mapping[str, Act] = _NOTHING  # path → what a form posted there does
    listed: bool = True  # in the navigation
    waiting: Callable[[Connection], int] | None = None  # how much waits there for a person: one page at most
    metrics: Callable[[Connection], Iterable[Metric]] | None = None  # its figures in `/metrics`

    @property
    def path(self) -> str:
        """Where the navigation leads."""
        return next(iter(self.shows))

    def holds(self, path: str) -> bool:
        """Whether an address is one of this page's, also one that is reached from it only."""
        return any(compile_path(one)[0].match(path) for one in (*self.shows, *self.does))

    def routes(self) -> list[Route]:
        """What the router is given; whatever is posted has passed the check of its form."""
        shown = [Route(path, show, methods=["GET"]) for path, show in self.shows.items()]
        done = [Route(path, _checked(act), methods=["POST"]) for path, act in self.does.items()]
        return [*shown, *done]


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """What a feature shows at the end of another's page; absent like its feature."""

    page: str  # the template it stands in
    file: str  # its own
    view: Callable[[Request], msgspec.Struct]


class PartView(msgspec.Struct, frozen=True, kw_only=True):
    """A part as its page includes it."""

    file: str
    view: msgspec.Struct


@cache
def from_features() -> tuple[Page | Part, ...]:
    """The pages that features bring, and the parts of pages."""
    return tuple(one.load(place) for one in features() for place in one.pages)


def _checked(act: Act) -> Callable[[Request], Awaitable[Response]]:
    async def checked(request: Request) -> Response:
        form = await read_form(request)
        check_csrf(form, visit_of(request).session)
        return await run_in_threadpool(act, request, form)

    return checked


def visit_of(request: Request) -> Visit:
    """Who asks, as the guard found out."""
    visit: Visit = request.state.visit
    return visit


def render(request: Request, template: str, view: msgspec.Struct, *, status: int = 200) -> HTMLResponse:
    """A whole page: the template inside the frame, with `view` for what it shows."""
    parts = [
        PartView(file=one.file, view=one.view(request))
        for one in from_features()
        if isinstance(one, Part) and one.page == template
    ]
    return HTMLResponse(fragment(request, f"{template}.html", view, parts), status_code=status)


def fragment(request: Request, file: str, view: msgspec.Struct, parts: Sequence[PartView] = ()) -> str:
    """What a template makes of a view."""
    site, session, here = site_of(request), visit_of(request).session, request.url.path
    waited_for = next((page for page in site.pages if page.waiting is not None), None)
    waiting = 0
    if session is not None and waited_for is not None and waited_for.waiting is not None:
        with suppress(StoreError), site.reading() as connection:  # a page that says why must not fail of it
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
    """Who is logged in."""
    session = visit_of(request).session
    return session.person if session is not None else None


def back_to(path: str) -> RedirectResponse:
    """Where a form leads when it has done its work."""
    return RedirectResponse(path, status_code=303)


_DIGITS: Final = 18  # the database takes no longer number


def seq_of(text: str | None) -> int | None:
    """A seq; None for what is none."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
