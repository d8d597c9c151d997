"""What a browser without a login is shown instead of any page."""

from __future__ import annotations

import msgspec
from starlette.responses import HTMLResponse

from interlock.web.rendering import templates


class ClosedView(msgspec.Struct, frozen=True, kw_only=True):
    """The page of the way in, without a token."""

    token: str = ""
    problem: str = "this browser has no login here, or it has ended"


def closed_page() -> HTMLResponse:
    """The same whatever was asked for: that would tell which pages there are."""
    frame = {"here": "", "section": "", "pages": (), "person": "", "csrf": "", "csrf_field": "", "pending": 0}
    text = templates().get_template("login.html").render(view=ClosedView(), **frame)
    return HTMLResponse(text, status_code=401)
