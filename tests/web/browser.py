"""A browser as far as a server can tell: plain HTTP to the real process, with the headers browsers send."""

from __future__ import annotations

import http.client
import json
import re
import socket
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.daemon.home import PATIENCE, Home

from interlock.daemon.client import request


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]  # by names in lower case
    text: str


@dataclass(kw_only=True)
class Browser:
    """One browser at one dashboard; not logged in until it is told to."""

    home: Home
    port: int
    cookie: str = ""
    csrf: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The dashboard's own."""
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        """Send exactly these headers, and `Host` unless they name it."""
        given = {"host": f"127.0.0.1:{self.port}", **headers}
        if body:
            given["content-length"] = str(len(body))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            found = connection.getresponse()
            text = found.read().decode()
        finally:
            connection.close()
        return Answer(status=found.status, headers={k.lower(): v for k, v in found.getheaders()}, text=text)

    def get(self, path: str, **headers: str) -> Answer:
        """Open a page as somebody does who typed its address."""
        return self.ask("GET", path, {**self._own(), **headers})

    def post(self, path: str, fields: dict[str, str], **headers: str) -> Answer:
        """Send a form of the dashboard's own page."""
        sent = {
            **self._own(),
            "origin": self.origin,
            "content-type": "application/x-www-form-urlencoded",
            **headers,
        }
        return self.ask("POST", path, sent, urlencode(fields).encode())

    def submit(self, path: str, **fields: str) -> Answer:
        """Send a form with the token of this login."""
        return self.post(path, {"csrf": self.csrf, **fields})

    def log_in(self, url: str | None = None) -> Answer:
        """Open a link, a new one unless it is given, and press its button."""
        answer = self.post("/login", {"token": token_of(url or link(self.home))})
        if answer.status == 303:
            self.cookie = answer.headers["set-cookie"].partition(";")[0]
            self.csrf = field_of(self.get("/approvals").text, "csrf")
        return answer

    def events(self, path: str, kind: str) -> Generator[Any]:
        """What a stream tells, of one kind; it fails when nothing comes in time."""
        end = time.monotonic() + PATIENCE
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as peer:
            lines = [f"GET {path} HTTP/1.1", f"host: 127.0.0.1:{self.port}", f"cookie: {self.cookie}"]
            lines += ["accept: text/event-stream", "sec-fetch-site: same-origin", "", ""]
            peer.sendall("\r\n".join(lines).encode())
            found = ""
            for line in peer.makefile(encoding="utf-8", newline="\n"):
                if line.startswith("event: "):
                    found = line.removeprefix("event: ").strip()
                elif line.startswith("data: ") and found == kind:
                    yield json.loads(line.removeprefix("data: "))
                elif line.startswith("data: true" if kind == "decision" else "retry: "):
                    yield None  # whatever happens from now on is told
                elif line == "0\r\n":
                    return  # the last piece of it
                if time.monotonic() > end:
                    raise AssertionError(f"nothing of the kind `{kind}` came in time")

    def _own(self) -> dict[str, str]:
        return {"cookie": self.cookie} if self.cookie else {}


def link(home: Home) -> str:
    """A new link to the dashboard."""
    found: dict[str, str] = request(home.places.socket, "ui.open", seconds=PATIENCE)
    return found["url"]


def browser(home: Home) -> Browser:
    """A browser at this home's dashboard, which is started."""
    return Browser(home=home, port=int(urlsplit(link(home)).port or 0))


def token_of(url: str) -> str:
    """The token in a link."""
    return parse_qs(urlsplit(url).query)["token"][0]


def field_of(page: str, name: str) -> str:
    """The value of the first hidden field of a name on a page."""
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    if found is None:
        raise AssertionError(f"the page has no field `{name}`: {page}")
    return found[1]
