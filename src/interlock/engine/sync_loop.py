"""Awaiting from code that has no event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

T = TypeVar("T")
_CLEANUP_SECONDS: Final = 5.0


async def _as_task(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    return asyncio.get_running_loop().create_task(work)


class BlockingLoop:
    """An event loop on a thread of its own, started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def finish_at_once(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work that never waits, without any loop at all."""
        try:
            work.send(None)
        except StopIteration as done:
            value: T = done.value
            return value
        work.close()
        raise AssertionError("work that should finish at once has to wait")

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run work to its end; an interrupt cancels it."""
        loop = self._started()
        task = asyncio.run_coroutine_threadsafe(_as_task(work), loop).result()
        done = threading.Event()
        loop.call_soon_threadsafe(task.add_done_callback, lambda _: done.set())
        try:
            done.wait()
        except BaseException:
            # A hook's processes must be gone before the interrupt goes on.
            loop.call_soon_threadsafe(task.cancel)
            done.wait(_CLEANUP_SECONDS)
            raise
        return task.result()

    def close(self) -> None:
        """End the loop and its thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                # A daemon thread: an agent that ends need not know about this loop.
                self._thread = threading.Thread(target=self._loop.run_forever, name="interlock", daemon=True)
                self._thread.start()
            return self._loop
