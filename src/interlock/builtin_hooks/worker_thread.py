"""Runs work that may be slow, such as reading a disk, in threads beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from interlock.events.bounded_dict import BoundedDict

T = TypeVar("T")
_Turns: TypeAlias = BoundedDict[str, asyncio.Semaphore]
_THREADS: Final = 16
_EACH: Final = 4  # at once for one session
_SESSIONS: Final = 1_024


class WorkerThreads:
    """Runs slow work of one session while the others go on."""

    def __init__(self, threads: int = _THREADS, each: int = _EACH) -> None:
        self._threads: Final = threads
        self._each: Final = each
        self._pool: ThreadPoolExecutor | None = None  # made when it is first needed
        self._turns: Final = WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns]()

    async def __call__(self, session_id: str, work: Callable[[], T], seconds: float) -> T:
        """The result of the work; raise TimeoutError if it takes longer, and let it finish alone."""
        loop = asyncio.get_running_loop()
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._threads, thread_name_prefix="interlock-aside")
        async with asyncio.timeout(seconds):
            turn = self._turn(loop, session_id)
            await turn.acquire()
            started = loop.run_in_executor(self._pool, work)
            started.add_done_callback(lambda _: turn.release())
            return await asyncio.shield(started)

    def _turn(self, loop: asyncio.AbstractEventLoop, session_id: str) -> asyncio.Semaphore:
        turns = self._turns.setdefault(loop, BoundedDict(_SESSIONS))
        turn = turns[session_id] = turns.get(session_id) or asyncio.Semaphore(self._each)
        return turn


in_thread: Final = WorkerThreads()
