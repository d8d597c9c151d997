"""Decisions as the daemon makes them, handed on to every browser that watches."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, final

import msgspec

from interlock.web.decision_line import DecisionLine, line_of
from interlock.web.stream import event

_log: Final = logging.getLogger(__name__)
_SUBSCRIBE: Final = b'{"jsonrpc":"2.0","id":1,"method":"subscribe"}\n'
_LONGEST_LINE: Final = 64 * 1024 * 1024  # a decision comes with its whole input
_KEPT: Final = 500  # for a browser that is slower than the agents; then the oldest give way, and are counted
_GATHER_SECONDS: Final = 0.1  # what comes within is sent together
_AGAIN_SECONDS: Final = 1.0
_IDLE_SECONDS: Final = 1.0


class _Watcher:
    """One browser's share."""

    def __init__(self) -> None:
        self.lines: Final[deque[DecisionLine]] = deque(maxlen=_KEPT)
        self.missed = 0
        self.woken: Final = asyncio.Event()

    def give(self, line: DecisionLine) -> None:
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
        return b"".join([*told, *(event("decision", line) for line in lines)])


@final
class Live:
    """Listens to the daemon for as long as any browser watches: who is not watched costs nothing."""

    def __init__(self, socket: Path) -> None:
        self._socket: Final = socket
        self._watchers: Final[set[_Watcher]] = set()
        self._listening: asyncio.Task[None] | None = None

    async def follow(self) -> AsyncGenerator[bytes]:
        """Events for one browser; an empty piece when nothing happened for a while."""
        watcher = _Watcher()
        self._watchers.add(watcher)
        if self._listening is None or self._listening.done():
            self._listening = asyncio.get_running_loop().create_task(self._listen())
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_IDLE_SECONDS):
                        await watcher.woken.wait()
                    await asyncio.sleep(_GATHER_SECONDS)
                yield watcher.take()
        finally:
            self._watchers.discard(watcher)
            if not self._watchers and self._listening is not None:
                self._listening.cancel()
                self._listening = None

    async def _listen(self) -> None:
        while True:
            try:
                await self._hear()
            except (OSError, ValueError, msgspec.DecodeError) as error:
                _log.warning("decisions cannot be followed: %s", error)
            await asyncio.sleep(_AGAIN_SECONDS)

    async def _hear(self) -> None:
        reader, writer = await asyncio.open_unix_connection(str(self._socket), limit=_LONGEST_LINE)
        try:
            writer.write(_SUBSCRIBE)
            while line := await reader.readline():
                note: dict[str, Any] = msgspec.json.decode(line)
                if note.get("method") == "decision":
                    self._give(line_of(note["params"]))
        finally:
            writer.close()

    def _give(self, line: DecisionLine) -> None:
        for watcher in self._watchers:
            watcher.give(line)
