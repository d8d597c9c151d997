"""A real HTTP endpoint on the loopback address, and what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str
    headers: Message
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


@dataclass
class Endpoint:
    """What to answer, and what has been asked."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    held: threading.Event | None = None  # wait for this before answering
    requests: list[Request] = field(default_factory=list)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def serving(endpoint: Endpoint) -> Iterator[Endpoint]:
    """Serve until the block ends."""

    class Answering(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            endpoint.requests.append(Request(self.command, self.path, self.headers, body))
            if endpoint.held is not None:
                endpoint.held.wait(90)
            try:
                self.send_response(endpoint.status)
                for name, value in endpoint.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(endpoint.body)))
                self.end_headers()
                self.wfile.write(endpoint.body)
            except ConnectionError:
                pass  # a caller that hung up is what some tests are about

        do_POST = _answer  # noqa: N815 - the names http.server looks for
        do_PUT = _answer  # noqa: N815 - the names http.server looks for

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's signature
            """Stay quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    endpoint.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield endpoint
    finally:
        if endpoint.held is not None:
            endpoint.held.set()
        server.shutdown()
        thread.join()
        server.server_close()
