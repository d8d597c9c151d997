"""What may wait is done beside the loop, and no session takes all there is."""

from __future__ import annotations

import asyncio
import threading

import pytest

from interlock.builtin_hooks.worker_thread import WorkerThreads


async def test_a_session_that_is_stuck_leaves_room_for_others() -> None:
    """It has so many looks at a time; what is beyond waits for them, and others do not."""
    aside, go = WorkerThreads(threads=3, each=2), threading.Event()
    stuck = [asyncio.create_task(aside("stuck", lambda: go.wait(30), 30)) for _ in range(5)]
    await asyncio.sleep(0)

    assert await aside("other", lambda: "seen", 30) == "seen"
    assert not any(one.done() for one in stuck)
    go.set()
    assert await asyncio.gather(*stuck) == [True] * 5


async def test_what_takes_too_long_is_left_to_its_end() -> None:
    """The one who asked is told in time, and its place is free again when the work has ended."""
    aside, go = WorkerThreads(threads=1, each=1), threading.Event()
    with pytest.raises(TimeoutError):
        await aside("s", lambda: go.wait(30), 0.01)
    with pytest.raises(TimeoutError):
        await aside("s", lambda: "never begun", 0.01)
    go.set()

    assert await aside("s", lambda: "seen", 30) == "seen"


async def test_an_error_is_the_askers() -> None:
    """As if it had been done here."""
    with pytest.raises(ZeroDivisionError):
        await WorkerThreads()("s", lambda: 1 // 0, 30)


def test_each_loop_has_its_own_turns() -> None:
    """Programs that decide one call after the other make a loop for each."""
    aside = WorkerThreads(threads=2, each=1)

    async def several() -> list[int]:
        return await asyncio.gather(*(aside("s", lambda: 1, 30) for _ in range(3)))

    assert [asyncio.run(several()) for _ in range(3)] == [[1, 1, 1]] * 3
