"""The way in: a link that works once, a button, and a cookie; and the way out."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interlock.daemon.caller_kind import Kind
from interlock.errors import InterlockError
from interlock.web.auth.credentials import COOKIE, LOGIN_SECONDS
from interlock.web.auth.form import Form, read_form
from interlock.web.page import Page, back_to, render, visit_of
from interlock.web.site import site_of

HOME = "/live"


class LoginView(msgspec.Struct, frozen=True, kw_only=True):
    """The page with the one button."""

    token: str
    problem: str = ""
    passphrase: bool = False  # whether it is asked for


def show_login(request: Request) -> Response:
    """Ask for a click: a link that is only looked at, by a preview or a scanner, must not be used up."""
    token = request.query_params.get("token", "")[:200]
    return render(request, "login", LoginView(token=token, passphrase=_is_unclear(request)))


async def log_in(request: Request) -> Response:
    """Use a token up for a cookie."""
    form, site = await read_form(request), site_of(request)
    if _is_unclear(request):
        try:
            await site.passphrase.prove(form.get("passphrase", ""))
        except InterlockError as error:
            # The link is still good: whoever mistyped may try again.
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
    """Whether this browser could be an agent's, where a passphrase tells."""
    site = site_of(request)
    return site.passphrase.is_set and site.peers.standing(visit_of(request).peer) is not Kind.PERSON


def log_out(request: Request, _: Form) -> Response:
    """End this login."""
    session = visit_of(request).session
    if session is not None:
        site_of(request).logins.end(session)
    answer = back_to("/login")
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return answer


# Not through `does`: whoever logs in has no form of a login yet; the token and the origin stand for it.
LOGIN = Route("/login", log_in, methods=["POST"])
PAGE = Page(
    name="login",
    title="Log in",
    order=90,
    shows={"/login": show_login},
    does={"/logout": log_out},
    listed=False,
)
