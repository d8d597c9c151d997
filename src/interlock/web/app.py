"""The dashboard's pages and routes, and the guard around them."""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from interlock.errors import InterlockError
from interlock.files.own_files import bundled_file
from interlock.web import monitoring
from interlock.web.api import openapi
from interlock.web.api.endpoint import BASE, problem
from interlock.web.auth import login
from interlock.web.auth.guard import Guard
from interlock.web.page import Page, back_to, from_features, render
from interlock.web.pages import hooks, ledger, live, policy, sessions
from interlock.web.site import RefusedError, Site

_OWN: Final = (live.PAGE, sessions.PAGE, ledger.PAGE, hooks.PAGE, policy.PAGE, login.PAGE)


def all_pages() -> tuple[Page, ...]:
    """In the order of the navigation; a page that is not here does not exist."""
    of_features = (one for one in from_features() if isinstance(one, Page))
    return tuple(sorted((*_OWN, *of_features), key=lambda page: page.order))


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence instead of a page."""

    title: str
    text: str


def make_app(site: Site) -> ASGIApp:
    """The whole dashboard; nothing reaches a route but through the guard."""
    app = Starlette(
        routes=[
            Route("/", _home, methods=["GET"]),
            *(route for page in site.pages for route in page.routes()),
            login.LOGIN,
            *monitoring.ROUTES,
            monitoring.ROUTE,
            *openapi.routes(),
            Mount("/static", StaticFiles(directory=bundled_file("web/static"))),
        ],
        exception_handlers={HTTPException: _refused, InterlockError: _failed},
    )
    app.state.site = site
    return Guard(app, site)


def _home(_: Request) -> Response:
    return back_to(login.HOME)


def _refused(request: Request, error: Exception) -> Response:
    told = error if isinstance(error, HTTPException) else HTTPException(500)
    status, text = told.status_code, told.detail
    if text == "Not Found":
        text = f"there is no page `{request.url.path}`"
    if _is_api(request):
        answer = problem(status, text)
    else:
        answer = render(request, "message", MessageView(title=str(status), text=text), status=status)
    answer.headers.update(told.headers or {})  # which methods there are, where one is not
    return answer


def _failed(request: Request, error: Exception) -> Response:
    """What the daemon or the store refused, in its own words."""
    status = 409 if isinstance(error, RefusedError) else 503
    if _is_api(request):
        return problem(status, str(error))
    view = MessageView(title="That did not work", text=str(error))
    return render(request, "message", view, status=status)


def _is_api(request: Request) -> bool:
    """Whether a program asks: then what is said is JSON too."""
    return request.url.path.startswith(f"{BASE}/")
