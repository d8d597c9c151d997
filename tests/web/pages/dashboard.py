"""A dashboard that really listens, and a browser's side of it that is logged in."""

from __future__ import annotations

import asyncio
import html
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx
import uvicorn

from interlock.daemon.paths import Places
from interlock.web.main import all_pages, make_app
from interlock.web.site import Site

_FIELD = re.compile(r'name="csrf" value="([^"]+)"')
_TAG = re.compile(r"<[^>]+>")


class Dashboard:
    """What a logged-in person sees."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client

    def get(self, path: str, **query: str) -> httpx.Response:
        """A page."""
        return self.client.get(path, params=query or None)

    def seen(self, path: str, **query: str) -> str:
        """The words of a page that must be there."""
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.text
        return words(answer.text)

    def post(self, path: str, form: Mapping[str, str] | None = None, *, on: str = "/login") -> httpx.Response:
        """A form sent from a page of ours, with the token that stands there."""
        found = _FIELD.search(self.get(on).text)
        assert found is not None
        return self.client.post(path, data={"csrf": found[1], **(form or {})})


def words(page: str) -> str:
    """What a page says, without its tags."""
    whole = page.replace("<wbr>", "")  # a place to break a line at, and no word of its own
    return " ".join(html.unescape(_TAG.sub(" ", whole)).split())


@contextmanager
def dashboard(places: Places) -> Iterator[Dashboard]:
    """Serve the dashboard of these places on a free port, and log in."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        site = Site(places, port=port, pages=all_pages())
        config = uvicorn.Config(make_app(site), http="h11", ws="none", lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
        thread.start()
        origin = f"http://127.0.0.1:{port}"
        try:
            with httpx.Client(
                base_url=origin, headers={"origin": origin}, timeout=90, trust_env=False
            ) as client:
                answer = client.post("/login", data={"token": site.login_links.give("human:test")})
                assert answer.status_code == 303, answer.text
                yield Dashboard(client)
        finally:
            server.should_exit = True
            thread.join(90)
