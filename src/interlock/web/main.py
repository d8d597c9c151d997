"""`python -I -m interlock.web.main`: the dashboard's process, as the daemon starts it.

The first line of its input is its job; each later line asks for a login token or a key.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from http import HTTPStatus
from typing import Final

import msgspec
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from interlock.daemon.log import open_log
from interlock.daemon.paths import Places, places_from
from interlock.errors import InterlockError, PluginError
from interlock.files.own_files import bundled_file
from interlock.policy.extensions import use_features_of
from interlock.redaction.marks import redaction_key
from interlock.redaction.redactor import Redactor
from interlock.web import monitoring
from interlock.web.api import openapi
from interlock.web.api.endpoint import BASE, problem
from interlock.web.auth.guard import HOME, LOGIN, LOGIN_PAGE, Guard
from interlock.web.page import Page, back_to, from_features, render
from interlock.web.pages import hooks, ledger, live, policy, sessions
from interlock.web.policies import policies_of
from interlock.web.process import KEY, LOG, UiAnswer, UiJob
from interlock.web.rendering import templates
from interlock.web.site import RefusedError, Site

_OWN: Final = (live.PAGE, sessions.PAGE, ledger.PAGE, hooks.PAGE, policy.PAGE, LOGIN_PAGE)


def all_pages() -> tuple[Page, ...]:
    """All pages, in the order of the navigation."""
    of_features = (one for one in from_features() if isinstance(one, Page))
    return tuple(sorted((*_OWN, *of_features), key=lambda page: page.order))


class MessageView(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    text: str


def make_app(site: Site) -> ASGIApp:
    """The whole dashboard; every request passes the guard."""
    app = Starlette(
        routes=[
            Route("/", lambda _: back_to(HOME), methods=["GET"]),
            *(route for page in site.pages for route in page.routes()),
            LOGIN,
            *monitoring.ROUTES,
            *openapi.routes(),
            Mount("/static", StaticFiles(directory=bundled_file("web/static"))),
        ],
        exception_handlers={HTTPException: _refused, InterlockError: _failed},
    )
    app.state.site = site
    return Guard(app, site)


def _refused(request: Request, error: Exception) -> Response:
    known = error if isinstance(error, HTTPException) else HTTPException(500)
    status, text = known.status_code, known.detail
    if text == "Not Found":
        text = f"there is no page `{request.url.path}`"
    if _is_api(request):
        answer = problem(status, text)
    else:
        title = HTTPStatus(status).phrase.capitalize()
        answer = render(request, "message", MessageView(title=title, text=text), status=status)
    answer.headers.update(known.headers or {})  # such as `Allow`, for a wrong method
    return answer


def _failed(request: Request, error: Exception) -> Response:
    """Show the error of the daemon or the store."""
    status = 409 if isinstance(error, RefusedError) else 503
    if _is_api(request):
        return problem(status, str(error))
    view = MessageView(title="That did not work", text=str(error))
    return render(request, "message", view, status=status)


def _is_api(request: Request) -> bool:
    """Whether this is an API request, which gets errors as JSON."""
    return request.url.path.startswith(f"{BASE}/")


def warm(places: Places) -> None:
    """Load the policy and the templates; the page that needs them reports any error."""
    try:
        policies_of(places).for_folder("")
        for name in templates().list_templates():
            templates().get_template(name)
    except Exception as error:  # noqa: BLE001 - this only saves time
        _log.warning("the pages could not be prepared", exc_info=error)


_log: Final = logging.getLogger("interlock.web")
_BACKLOG: Final = 128
_LEAVING_SECONDS: Final = 1
_KEEP_ALIVE_SECONDS: Final = 30
_MOST_CONNECTIONS: Final = 200


def main() -> int:
    """Serve until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the daemon, which ends this process
    job = msgspec.json.decode(sys.stdin.buffer.readline(), type=UiJob)
    places = places_from(job.arguments)
    os.chdir("/")
    open_log(places.state / LOG, Redactor(redaction_key(places.state)).text)
    try:
        listening = _listen(job.port)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        _say(UiAnswer(error=f"port {job.port} cannot be used: {reason}; choose another one with --port"))
        return 1
    try:
        use_features_of((places.managed_config, places.user_config))
        site = Site(places, port=listening.getsockname()[1], pages=all_pages())
        app = make_app(site)
    except PluginError as error:
        _say(UiAnswer(error=str(error)))
        return 1
    uvloop.run(_serve(listening, site, app))
    return 0


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        # Allows a port that we used a moment ago, but none that is in use.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


async def _serve(listening: socket.socket, site: Site, app: ASGIApp) -> None:
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # a URL may contain a token
        server_header=False,
        proxy_headers=False,  # there is no proxy; a header must not say who connects
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=_LEAVING_SECONDS,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    _say(UiAnswer(port=port))
    # A daemon thread, so that stopping does not wait for it.
    threading.Thread(target=warm, args=(site.places,), daemon=True).start()
    _log.info("the dashboard listens on port %d", port)
    await _obey(site)
    site.logins.end_all()
    server.should_exit = True
    await serving


async def _obey(site: Site) -> None:
    """Answer each line of input with a token or a key, until the input ends."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer)
    while line := await reader.readline():
        person = line.partition(b" ")[2].decode().rstrip("\n")
        gives = site.api_keys if line.startswith(KEY) else site.login_links
        _say(UiAnswer(token=gives.give(person)))


def _say(answer: UiAnswer) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
