"""Server-sent events, and the decisions that the daemon reports, passed on to every browser that watches."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import msgspec
from starlette.responses import StreamingResponse

from interlock.web.decision_line import line_of
from interlock.web.queries.calls import Calls

if TYPE_CHECKING:
    from interlock.web.auth.guard import Visit


_QUIET_SECONDS: Final = 15.0  # after which a sign of life is sent, by which a browser that left is noticed
_ALIVE: Final = b": alive\n\n"


def event(kind: str, data: object) -> bytes:
    """One event; JSON holds no line break, so one line is enough."""
    written = msgspec.json.encode(data, enc_hook=str)  # of what is not a plain text, as `Seen`, its text
    return b"event: " + kind.encode() + b"\ndata: " + written + b"\n\n"


def stream(visit: Visit, pieces: AsyncGenerator[bytes]) -> StreamingResponse:
    """Send pieces as they come; an empty one only gives time to look around."""
    return StreamingResponse(_while_logged_in(visit, pieces), media_type="text/event-stream")


async def _while_logged_in(visit: Visit, pieces: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    logins, session = visit.site.logins, visit.session
    sent = time.monotonic()
    yield b"retry: 2000\n\n"
    async with aclosing(pieces):  # what they hold is let go when the browser leaves, not some time after
        async for piece in pieces:
            if session is None or not logins.stands(session):
                return
            if piece:
                yield piece
            elif time.monotonic() - sent > _QUIET_SECONDS:
                yield _ALIVE
            else:
                continue
            sent = time.monotonic()


_log: Final = logging.getLogger(__name__)
_SUBSCRIBE: Final = b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n'
_LONGEST_LINE: Final = 64 * 1024 * 1024  # a decision comes with its whole input
_KEPT: Final = 500  # for a browser that is slower than the agents; then the oldest give way, and are counted
_GATHER_SECONDS: Final = 0.1  # what comes within is sent together
_AGAIN_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 0.5


class _Watcher:
    """One browser's share."""

    def __init__(self) -> None:
        self.lines: Final[deque[bytes]] = deque(maxlen=_KEPT)
        self.missed = 0
        self.woken: Final = asyncio.Event()

    def give(self, line: bytes) -> None:
        self.missed += len(self.lines) == _KEPT
        self.lines.append(line)
        self.woken.set()

    def take(self) -> bytes:
        """Everything since the last time, as events."""
        self.woken.clear()
        lines, missed = list(self.lines), self.missed
        self.lines.clear()
        self.missed = 0
        told = [event("missed", missed)] if missed else []
        return b"".join([*told, *lines])


@final
class Live:
    """Listens to the daemon for as long as any browser watches: who is not watched costs nothing."""

    def __init__(self, socket: Path) -> None:
        self._socket: Final = socket
        self._watchers: Final[set[_Watcher]] = set()
        self._calls: Final = Calls()
        self._listening: asyncio.Task[None] | None = None
        self._following = False  # the daemon has said that it will tell

    async def follow(self) -> AsyncGenerator[bytes]:
        """Events for one browser; an empty piece when nothing happened for a while."""
        watcher = _Watcher()
        self._watchers.add(watcher)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.get_running_loop().create_task(self._listen())
        told = False
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_IDLE_SECONDS):
                        await watcher.woken.wait()
                    await asyncio.sleep(_GATHER_SECONDS)
                changed = told != self._following
                told = self._following
                yield (event("following", told) if changed else b"") + watcher.take()
        finally:
            self._watchers.discard(watcher)
            if not self._watchers and self._listening is not None:
                self._listening.cancel()
                self._listening, self._following = None, False

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except Exception as error:  # noqa: BLE001 - a defect in one line must not end it for every browser
                _log.warning("decisions cannot be followed", exc_info=error)
            self._follows(now=False)
            await asyncio.sleep(_AGAIN_SECONDS)

    def _follows(self, *, now: bool) -> None:
        """Let the pages know whether they would learn of a decision."""
        self._following = now
        for watcher in self._watchers:
            watcher.woken.set()

    async def _hear(self) -> None:
        reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=_LONGEST_LINE)
        try:
            writer.write(_SUBSCRIBE)
            while line := await reader.readline():
                note: dict[str, Any] = msgspec.json.decode(line)
                if note.get("method") == "decision":
                    self._give(event("decision", line_of(note["params"], self._calls)))  # once for everybody
                elif "result" in note:
                    self._follows(now=True)
        finally:
            writer.close()

    def _give(self, line: bytes) -> None:
        for watcher in self._watchers:
            watcher.give(line)
