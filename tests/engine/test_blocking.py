"""Deciding without an event loop."""

from __future__ import annotations

import asyncio
import threading

import pytest
from tests.builders import Says, bash, hook

from interlock.engine.engine import BlockingLoop, Engine
from interlock.events.verdict import NO_OPINION, Verdict, Vote, ask


class Async(Says):
    """A handler that answers a little later, and says on which thread."""

    instant = False
    thread = ""

    async def run(self, view: object, seconds: float) -> Verdict:
        await asyncio.sleep(0)
        self.thread = threading.current_thread().name
        return ask("later")


def test_rules_alone_need_no_loop_and_no_thread() -> None:
    """An engine whose hooks answer at once never starts its loop."""
    engine = Engine([hook(NO_OPINION)])
    engine.decide_sync(bash("ls"))

    assert engine._blocking._thread is None


def test_hooks_that_wait_run_on_a_loop_of_their_own() -> None:
    """The same decision comes back to a caller without a loop."""
    handler = Async(NO_OPINION, instant=False)
    engine = Engine([hook(handler)])
    decisions = [engine.decide_sync(bash("ls")) for _ in range(2)]
    engine.close()

    assert [decision.vote for decision in decisions] == [Vote.ASK, Vote.ASK]
    assert handler.thread == "interlock"


async def test_a_caller_inside_a_loop_may_block_too() -> None:
    """The loop behind `decide_sync` is never the caller's."""
    engine = Engine([hook(Async(NO_OPINION, instant=False))])

    assert engine.decide_sync(bash("ls")).vote is Vote.ASK
    engine.close()


def test_after_close_it_starts_again_when_needed() -> None:
    """Closing is not an end, and closing twice or unused is harmless."""
    loop = BlockingLoop()
    loop.close()

    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert loop.run(work()) == 7
    loop.close()
    loop.close()
    assert loop.run(work()) == 7
    loop.close()


def test_what_the_work_raises_reaches_the_caller() -> None:
    """An error crosses the thread unchanged."""
    loop = BlockingLoop()

    async def work() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        loop.run(work())
    with pytest.raises(KeyError):
        loop.finish_at_once(work())
    loop.close()


def test_work_that_has_to_wait_cannot_finish_at_once() -> None:
    """Claiming to be instant and waiting is a defect that shows itself."""

    async def work() -> None:
        await asyncio.sleep(0)

    with pytest.raises(AssertionError, match="has to wait"):
        BlockingLoop().finish_at_once(work())
