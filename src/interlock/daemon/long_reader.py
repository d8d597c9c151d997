"""Long texts of all sessions, read in a few processes that can be ended."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.reading.command import Gap, GapKind, Script
from interlock.reading.long_text import HEAD, Request

_log: Final = logging.getLogger(__name__)
COMMAND: Final = (sys.executable, "-I", "-m", "interlock.reading.worker")
_SECONDS: Final = 2.0  # for one text; a session's own texts wait for each other
_WORKERS: Final = 2
_LARGEST: Final = 64 * 1024 * 1024
_SESSIONS: Final = 1_024


class WorkerReader:
    """Reads texts of different sessions side by side, and those of one after the other."""

    def __init__(self, command: Sequence[str] = COMMAND, seconds: float = _SECONDS) -> None:
        self._command: Final = tuple(command)
        self._seconds: Final = seconds
        self._idle: Final[list[asyncio.subprocess.Process]] = []
        self._places: Final = asyncio.Semaphore(_WORKERS)
        self._sessions: Final[dict[str, asyncio.Lock]] = {}
        self._decoder: Final = msgspec.msgpack.Decoder(Script)

    async def __call__(self, text: str, cwd: str, session: str) -> Script:
        """The text's script; one gap when it takes too long or ends its process."""
        async with self._lock(session), self._places:
            worker: asyncio.subprocess.Process | None = None
            try:
                async with asyncio.timeout(self._seconds):
                    worker = self._idle.pop() if self._idle else await self._start()
                    script = await self._ask(worker, Request(text, cwd))
            except (TimeoutError, OSError, asyncio.IncompleteReadError, msgspec.DecodeError) as error:
                _log.warning("a text of %d characters was not read: %r", len(text), error)
                if worker is not None:
                    await _end(worker)
                why = f"not read within {self._seconds:g} s"
                # Whole: what is denied must not hide behind padding.
                return Script(gaps=(Gap(kind=GapKind.LIMIT, why=why, text=text),))
            self._idle.append(worker)
            return script

    async def close(self) -> None:
        """End every process that waits."""
        while self._idle:
            await _end(self._idle.pop())

    def _lock(self, session: str) -> asyncio.Lock:
        if len(self._sessions) >= _SESSIONS:
            for name in [name for name, lock in self._sessions.items() if not lock.locked()]:
                del self._sessions[name]
        return self._sessions.setdefault(session, asyncio.Lock())

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LARGEST,
        )

    async def _ask(self, worker: asyncio.subprocess.Process, request: Request) -> Script:
        if worker.stdin is None or worker.stdout is None:
            raise AssertionError("a worker is started with pipes")
        asked = msgspec.msgpack.encode(request)
        worker.stdin.write(HEAD.pack(len(asked)) + asked)
        await worker.stdin.drain()
        size = HEAD.unpack(await worker.stdout.readexactly(HEAD.size))[0]
        return self._decoder.decode(await worker.stdout.readexactly(size))


async def _end(worker: asyncio.subprocess.Process) -> None:
    if worker.returncode is None:
        worker.kill()
    await worker.wait()
