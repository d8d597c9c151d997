"""How a page is made: what it shows by GET, what it does by POST, and the frame around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, compile_path

from interlock.errors import StoreError
from interlock.features.approvals.page_queries import pending_names
from interlock.web.auth.form import CSRF, Form, check_csrf, read_form
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
    shows: Mapping[str, Show]  # path → who answers; the first is where the navigation leads
    does: Mapping[str, Act] = _NOTHING  # path → what a form posted there does
    listed: bool = True  # in the navigation

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
    return HTMLResponse(fragment(request, f"{template}.html", view), status_code=status)


def fragment(request: Request, file: str, view: msgspec.Struct) -> str:
    """What a template makes of a view."""
    site, session, here = site_of(request), visit_of(request).session, request.url.path
    pending: list[str] = []
    if session is not None:
        with suppress(StoreError), site.reading() as connection:  # a page that says why must not fail of it
            pending = pending_names(connection)
    return (
        templates()
        .get_template(file)
        .render(
            view=view,
            here=here,
            section=next((page.name for page in site.pages if page.holds(here)), ""),
            pages=[page for page in site.pages if page.listed],
            person=session.person.removeprefix("human:") if session else "",
            csrf=session.csrf if session else "",
            csrf_field=CSRF,
            pending=len(pending),
        )
    )


def person_of(request: Request) -> str | None:
    """Who is logged in."""
    session = visit_of(request).session
    return session.person if session is not None else None


def back_to(path: str) -> RedirectResponse:
    """Where a form leads when it has done its work."""
    return RedirectResponse(path, status_code=303)
