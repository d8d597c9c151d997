"""Talks to the daemon from Python: hook calls, as the shim sends them, and requests."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.daemon.protocol import Call, FrameError, decode_answer, encode_call
from interlock.errors import InterlockError
from interlock.hosts.host import Reply

_CHUNK: Final = 256 * 1024
_METHOD: Final = re.compile(r"\A`\w+\.[\w.]+`: ")
SILENT_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 590.0


class DaemonError(InterlockError):
    """The daemon cannot be reached, did not answer, or refused; `data` may say why."""

    def __init__(self, message: str, data: dict[str, Any] | None = None) -> None:
        self.data = data
        super().__init__(message)

    @property
    def sentence(self) -> str:
        """What people read: without the code of the error and the name of the method."""
        if self.data is not None:
            return f"{self.data['message']}; {self.data['next']}"
        return _METHOD.sub("", str(self))


def call_daemon(path: Path, call: Call, *, silent: float = SILENT_SECONDS) -> Reply:
    """Send one hook call; the daemon sends heartbeats during slow hooks, so silence means that it hangs."""
    end = time.monotonic() + LONGEST_SECONDS
    with _connected(path, silent) as peer:
        data = b""
        try:
            peer.sendall(encode_call(call))
            while (reply := decode_answer(data)) is None:
                piece = peer.recv(_CHUNK)
                if not piece or time.monotonic() > end:
                    raise DaemonError("the daemon closed the connection without an answer")
                data += piece
        except (OSError, FrameError) as error:
            raise DaemonError(f"the daemon did not answer: {error}") from error
        return reply


def request(path: Path, method: str, params: dict[str, Any] | None = None, *, seconds: float = 2.0) -> Any:
    """Send one JSON-RPC request and return its result."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
    with _connected(path, seconds) as peer:
        try:
            peer.sendall(msgspec.json.encode(message) + b"\n")
            line = peer.makefile("rb").readline()
        except OSError as error:
            raise DaemonError(f"the daemon did not answer: {error}") from error
    if not line:
        raise DaemonError("the daemon closed the connection without an answer")
    answer = msgspec.json.decode(line)
    if "error" in answer:
        raise DaemonError(answer["error"]["message"], answer["error"].get("data"))
    return answer["result"]


def subscribe(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every decision from now on, until the daemon ends."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "subscribe"}
    with _connected(path, SILENT_SECONDS) as peer:
        peer.sendall(msgspec.json.encode(message) + b"\n")
        peer.settimeout(None)
        for line in peer.makefile("rb"):
            note = msgspec.json.decode(line)
            if note.get("method") == "decision":
                yield note["params"]


def _connected(path: Path, seconds: float) -> socket.socket:
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    peer.settimeout(seconds)
    try:
        peer.connect(str(path))
    except OSError as error:
        peer.close()
        raise DaemonError(
            f"no daemon answers at `{path}` ({error.strerror or error}); run `interlock daemon start`"
        ) from error
    return peer
