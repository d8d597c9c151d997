"""A scripted model on loopback: it plays turns, records every request and, as a proxy, lets nothing out."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import ClassVar, Final, Self

from clients.message_stream import error, stream
from clients.model_request import OUTSIDE, SIDE, ModelRequest
from clients.script import Script
from clients.turns import Fail, JsonObject, Turn

_REFUSED: Final = Fail(status=403, kind="permission_error", message="nothing leaves this machine")
_UNKNOWN: Final = Fail(status=404, kind="not_found_error", message="not part of the script")


class ModelServer:
    """The server and its record; a context manager that listens while it is open."""

    def __init__(
        self,
        turns: Sequence[Turn],
        agents: Mapping[str, Sequence[Turn]] | None = None,
        *,
        side: Sequence[Turn] = (),
    ) -> None:
        self.script: Final = Script(turns, agents or {}, side)
        self._seen: Final[list[ModelRequest]] = []
        self._lock: Final = threading.Lock()
        script, record = self.script, self._record
        handler = type("Handler", (_Handler,), {"script": script, "record": staticmethod(record)})
        self._server: Final = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._thread: Final = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def seen(self) -> list[ModelRequest]:
        """Every request so far."""
        with self._lock:
            return list(self._seen)

    def _record(self, seen: ModelRequest) -> None:
        with self._lock:
            self._seen.append(seen)


class _Handler(BaseHTTPRequestHandler):
    """One connection of the client."""

    script: ClassVar[Script]
    protocol_version = "HTTP/1.1"

    @staticmethod
    def record(seen: ModelRequest) -> None:
        """Note a request; the server puts its own in the place of this."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Nothing is to be fetched: probes and proxied reads are noted and refused."""
        self._refuse()

    def do_HEAD(self) -> None:
        """Some clients look whether the server is there."""
        self._refuse()

    def do_CONNECT(self) -> None:
        """A tunnel to another host."""
        self._refuse()

    def do_POST(self) -> None:
        """Answer the two calls of the API that a session makes."""
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._note(SIDE, json.loads(text))
            self._send(200, {"input_tokens": 10})
        elif path == "/v1/messages":
            self._play(json.loads(text))
        else:
            self._refuse()

    def _play(self, body: JsonObject) -> None:
        conversation = self.script.conversation(body)
        self._note(conversation, body)
        answer = self.script.answer(conversation, body)
        if isinstance(answer, Fail):
            self._send(answer.status, error(answer))
        elif body.get("stream"):
            self._send_bytes(200, "text/event-stream", stream(answer))
        else:
            self._send(200, answer)

    def _refuse(self) -> None:
        """A path with a host in it, or a CONNECT, was meant for somebody else."""
        outside = not self.path.startswith("/")
        self._note(OUTSIDE if outside else SIDE, {})
        fail = _REFUSED if outside else _UNKNOWN
        self.close_connection = True
        self._send(fail.status, error(fail))

    def _note(self, conversation: str, body: JsonObject) -> None:
        self.record(ModelRequest(conversation=conversation, method=self.command, target=self.path, body=body))

    def _send(self, status: int, body: JsonObject) -> None:
        self._send_bytes(status, "application/json", json.dumps(body).encode())

    def _send_bytes(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr: the record is what counts."""
