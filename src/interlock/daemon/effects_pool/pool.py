"""Analyzes the long calls of all sessions in a few processes that can be killed."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.daemon.effects_pool.worker import HEAD, framed, lesson, question
from interlock.patterns.analyzed_call_view import CallAnalysis
from interlock.patterns.call_view import LocalCallView
from interlock.patterns.index import PatternIndex
from interlock.policy.protected_paths import Guarded

_log: Final = logging.getLogger(__name__)
COMMAND: Final = (sys.executable, "-I", "-m", "interlock.daemon.effects_pool.worker")
_SECONDS: Final = 2.0  # for one call; a session's own calls wait for each other
_LEARNING: Final = 5  # times as long for a policy: 10,000 patterns take a second
_WORKERS: Final = 2
_LARGEST: Final = 64 * 1024 * 1024
_SESSIONS: Final = 1_024
# Seconds per byte before a session's next long call: the daemon, which all sessions share, needs about 5 ms
# per 100 KB to receive and record one.
PAUSE: Final = 1 / 200_000
_LONGEST_PAUSE: Final = 1.0


class _Session:
    """Puts the long calls of one session in a queue, with a pause between them."""

    def __init__(self) -> None:
        self.lock: Final = asyncio.Lock()
        self.free_at = 0.0  # by the loop's clock


class _Worker:
    """One process, and the policy it learned last."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process: Final = process
        self.book: PatternIndex | None = None

    async def ask(self, message: bytes) -> bytes:
        requests, answers = self.process.stdin, self.process.stdout
        if requests is None or answers is None:
            raise AssertionError("a worker is started with pipes")
        requests.write(message)
        await requests.drain()
        size = HEAD.unpack(await answers.readexactly(HEAD.size))[0]
        return await answers.readexactly(size)

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


class WorkerReader:
    """Analyzes calls of different sessions in parallel, and those of one session in order."""

    def __init__(
        self,
        command: Sequence[str] = COMMAND,
        seconds: float = _SECONDS,
        guarded: Guarded | None = None,
        *,
        pause: float = 0.0,
    ) -> None:
        self._command: Final = tuple(command)
        self._seconds: Final = seconds
        self._guarded: Final = guarded
        self._pause: Final = pause  # seconds per byte
        self._idle: Final[list[_Worker]] = []
        self._places: Final = asyncio.Semaphore(_WORKERS)
        self._sessions: Final[dict[str, _Session]] = {}

    async def __call__(self, view: LocalCallView) -> CallAnalysis | str:
        """The analysis of a call, or why there is none: it took too long or killed its process."""
        session, loop = self._session(view.event.session_id), asyncio.get_running_loop()
        message = framed(question(view.event))
        async with session.lock:
            if (early := session.free_at - loop.time()) > 0:
                await asyncio.sleep(early)  # before taking a worker that another session could use
            try:
                return await self._look(view, message)
            finally:
                session.free_at = loop.time() + min(len(message) * self._pause, _LONGEST_PAUSE)

    async def _look(self, view: LocalCallView, message: bytes) -> CallAnalysis | str:
        async with self._places:
            worker: _Worker | None = None
            try:
                worker = await self._worker_for(view.book)
                async with asyncio.timeout(self._seconds):
                    answer = await worker.ask(message)
                analysis = msgspec.msgpack.decode(answer, type=CallAnalysis)
            except (TimeoutError, OSError, asyncio.IncompleteReadError, msgspec.DecodeError) as error:
                _log.warning("a long call was not read: %r", error)
                if worker is not None:
                    await worker.end()
                return f"not read within {self._seconds:g} s"
            except BaseException:
                if worker is not None:  # the next call must not get the answer to this one
                    await worker.end()
                raise
            self._idle.append(worker)
            return analysis

    async def close(self) -> None:
        """End all idle workers."""
        while self._idle:
            await self._idle.pop().end()

    def _session(self, name: str) -> _Session:
        if len(self._sessions) >= _SESSIONS:
            for idle in [key for key, session in self._sessions.items() if not session.lock.locked()]:
                del self._sessions[idle]
        return self._sessions.setdefault(name, _Session())

    async def _worker_for(self, book: PatternIndex) -> _Worker:
        """A worker that knows this policy; if possible one that has learned it already."""
        at = next((at for at, worker in enumerate(self._idle) if worker.book is book), -1)
        worker = self._idle.pop(at) if self._idle else _Worker(await self._start())
        if worker.book is not book:
            try:
                async with asyncio.timeout(self._seconds * _LEARNING):
                    await worker.ask(framed(lesson(book, self._guarded)))
            except BaseException:
                await worker.end()
                raise
            worker.book = book
        return worker

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_LARGEST,
        )
