"""A `once` hook has one run per session."""

from __future__ import annotations

import asyncio

import pytest
from tests.builders import Fails, Says, Waits, bash, hook, rewriting

from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceInMemory
from interlock.errors import FailureKind
from interlock.events.hook import OnFailure
from interlock.events.verdict import NO_OPINION, Outcome, Verdict, allow, ask, deny


@pytest.mark.req("C23")
@pytest.mark.parametrize("said", [NO_OPINION, allow(), ask("sure?")])
def test_a_once_hook_runs_once_per_session(said: Verdict) -> None:
    """The second event of a session skips it, another session has its own run."""
    says = Says(said)
    engine = Engine([hook(says, once=True)])
    outcomes = [
        engine.decide_sync(bash("ls", session_id=session)).trace[0].outcome
        for session in ("a", "a", "b", "b")
    ]

    assert outcomes == [Outcome.SUCCESS, Outcome.SKIPPED, Outcome.SUCCESS, Outcome.SKIPPED]
    assert len(says.shown) == 2


@pytest.mark.req("C80")
@pytest.mark.parametrize(
    "handler",
    [Says(deny("no")), Fails(failure=FailureKind.TIMEOUT), Fails(failure=FailureKind.CRASH)],
    ids=["deny", "timeout", "closed failure"],
)
def test_a_run_that_rejected_or_timed_out_is_given_back(handler: Says) -> None:
    """The hook is kept for the next event."""
    engine = Engine([hook(handler, once=True)])
    for _ in range(3):
        engine.decide_sync(bash("ls"))

    assert len(handler.shown) == 3


def test_an_open_timeout_is_given_back_too() -> None:
    """It is the timeout that counts, not what policy made of it."""
    fails = Fails(failure=FailureKind.TIMEOUT)
    engine = Engine([hook(fails, once=True, on_failure=OnFailure.OPEN)])
    engine.decide_sync(bash("ls"))
    engine.decide_sync(bash("ls"))

    assert len(fails.shown) == 2


def test_a_hook_that_does_not_apply_keeps_its_run() -> None:
    """Only a run takes the run."""
    says = Says(NO_OPINION)
    engine = Engine([hook(says, matcher="Bash(make *)", once=True)])
    engine.decide_sync(bash("ls"))
    engine.decide_sync(bash("make x"))
    engine.decide_sync(bash("make x"))

    assert says.commands == ["make x"]


async def test_two_calls_at_once_run_it_once() -> None:
    """The run is claimed before it begins."""
    waits = Waits()
    engine = Engine([hook(waits, once=True)])
    first = asyncio.create_task(engine.decide(bash("ls")))
    await waits.began.wait()
    second = await engine.decide(bash("ls"))
    waits.go.set()

    assert second.trace[0].outcome is Outcome.SKIPPED
    assert (await first).trace[0].outcome is Outcome.SUCCESS
    assert len(waits.shown) == 1


async def test_a_run_that_was_cut_off_is_given_back() -> None:
    """A caller that gives up has not used up the hook."""
    waits = Waits()
    engine = Engine([hook(waits, once=True)])
    task = asyncio.create_task(engine.decide(bash("ls")))
    await waits.began.wait()
    task.cancel()
    await asyncio.wait([task])
    waits.go.set()

    assert (await engine.decide(bash("ls"))).trace[0].outcome is Outcome.SUCCESS


@pytest.mark.req("C92")
def test_reload_does_not_give_a_second_run() -> None:
    """The same event, matcher and handler are the same hook, wherever it was loaded."""
    first, second, other = Says(NO_OPINION), Says(NO_OPINION), Says(NO_OPINION, mark="other")
    engine = Engine([hook(first, once=True)])
    engine.decide_sync(bash("ls"))
    engine.reload([hook(second, once=True, name="renamed"), hook(other, once=True)])
    engine.decide_sync(bash("ls"))

    assert (len(first.shown), len(second.shown), len(other.shown)) == (1, 0, 1)


def test_a_memory_given_to_two_engines_is_shared() -> None:
    """A store behind it lets restart keep what has run."""
    memory, says = OnceInMemory(), Says(NO_OPINION)
    for _ in range(2):
        Engine([hook(says, once=True)], once=memory).decide_sync(bash("ls"))

    assert len(says.shown) == 1


def test_a_changed_input_brings_no_second_run() -> None:
    """A once judge that ran on the first input is not asked about the final one."""
    says = Says(allow())
    engine = Engine([hook(says, once=True), hook(rewriting("ls", "pwd"))])
    engine.decide_sync(bash("ls"))
    engine.decide_sync(bash("ls"))

    assert says.commands == ["ls"]
