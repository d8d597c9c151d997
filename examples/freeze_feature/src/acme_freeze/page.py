"""The page Freeze of the dashboard, and the same for programs."""

from __future__ import annotations

from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from acme_freeze.service import FILE
from interlock.web.api.endpoint import Asked, Endpoint
from interlock.web.page import Form, Page, back_to, person_of, render
from interlock.web.site import Site, site_of


class Freeze(msgspec.Struct, frozen=True, kw_only=True):
    """Whether it is on."""

    on: bool


def _freeze_of(site: Site) -> Freeze:
    return Freeze(on=(site.places.state / FILE).exists())


def _show(request: Request) -> Response:
    return render(request, "acme_freeze", _freeze_of(site_of(request)))


def _switch(request: Request, form: Form) -> Response:
    on = form.get("on") == "yes"
    site_of(request).ask("acme_freeze.set", {"on": on, "person": person_of(request)})
    return back_to("/freeze")


def _answer(asked: Asked) -> Freeze:
    return _freeze_of(asked.site)


PAGE: Final = Page(
    name="acme_freeze", title="Freeze", order=90, shows={"/freeze": _show}, does={"/freeze/switch": _switch}
)
ENDPOINTS: Final = (
    Endpoint(
        path="/freeze", name="freeze", summary="Whether the code freeze is on.", gives=Freeze, answer=_answer
    ),
)
