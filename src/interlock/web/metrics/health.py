"""Whether the dashboard lives, and whether it can do its work: one word each, for whoever watches."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from interlock.daemon.client import request as ask
from interlock.errors import InterlockError
from interlock.store.statements import statements
from interlock.web.site import site_of

_SECONDS: Final = 2.0


def alive(_: Request) -> Response:
    """It answers, so it lives."""
    return PlainTextResponse("ok\n")


def ready(request: Request) -> Response:
    """Whether the store can be read and the daemon answers; why not is in the log, and not for everybody."""
    site = site_of(request)
    try:
        with site.reading() as connection:
            connection.execute(statements("ledger")["head"]).fetchone()
    except InterlockError:
        return PlainTextResponse("the store cannot be read\n", status_code=503)
    try:
        ask(site.places.socket, "status", seconds=_SECONDS)
    except InterlockError:
        return PlainTextResponse("the daemon does not answer\n", status_code=503)
    return PlainTextResponse("ready\n")


ROUTES: Final = [
    Route("/healthz", alive, methods=["GET"]),
    Route("/readyz", ready, methods=["GET"]),
]
