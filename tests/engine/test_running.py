"""Running one hook: every way it can go becomes an outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

import pytest
from tests.builders import Fails, Says, Waits, bash, hook, view

from interlock.engine.decision_builder import HookRun
from interlock.engine.engine import Deadline, applies, run
from interlock.engine.pipeline import BoundHook
from interlock.errors import ConditionError, FailureKind
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.verdict import NO_OPINION, Outcome, Verdict, Vote, allow, deny


async def ran(built: Hook, seconds: float = 10.0) -> HookRun:
    return await run(built, view(bash("ls")), Deadline(seconds))


@pytest.mark.req("C76")
@pytest.mark.parametrize(
    ("handler", "outcome"),
    [
        (Says(allow()), Outcome.SUCCESS),
        (Says(NO_OPINION), Outcome.SUCCESS),
        (Says(deny("no")), Outcome.BLOCKING),
        (Fails(failure=FailureKind.EXIT), Outcome.ERROR),
        (Fails(failure=FailureKind.TIMEOUT), Outcome.TIMEOUT),
    ],
)
async def test_a_run_has_one_outcome(handler: Says, outcome: Outcome) -> None:
    """How a run went is recorded apart from what it voted."""
    assert (await ran(hook(handler))).outcome is outcome


async def test_a_hook_that_raises_has_crashed() -> None:
    """Whatever hook code raises is a failure of that hook, with its name."""

    def answer(_: Event) -> Verdict:
        raise ZeroDivisionError

    result = await ran(hook(Says(answer), name="divider"))

    assert (result.outcome, result.verdict.vote) == (Outcome.ERROR, Vote.DENY)
    assert "`divider` crashed: ZeroDivisionError" in (result.verdict.reason or "")


@dataclass
class Answers(Says):
    """A handler that does not keep the protocol."""

    value: Any = None

    def run(self, view: Any, seconds: float) -> Awaitable[Verdict]:
        async def answer() -> Any:
            return self.value

        return answer()


@pytest.mark.parametrize("value", [None, True, {"decision": "allow"}])
async def test_an_answer_that_is_no_verdict_is_a_failure(value: Any) -> None:
    """A plugin that returns something else fails closed instead of breaking the engine."""
    result = await ran(hook(Answers(NO_OPINION, value=value)))

    assert (result.outcome, result.verdict.vote) == (Outcome.ERROR, Vote.DENY)


@pytest.mark.req("C49")
async def test_a_hook_that_does_not_answer_in_time_has_timed_out() -> None:
    """The wait ends and the hook's task is cancelled."""
    result = await ran(hook(Waits(), timeout=0.01))

    assert (result.outcome, result.verdict.vote) == (Outcome.TIMEOUT, Vote.DENY)
    assert "no answer within 0.01 s" in (result.verdict.reason or "")


async def test_without_time_left_a_hook_is_not_started() -> None:
    """An event whose budget is used up fails by its timeout rule."""
    says = Says(allow())
    result = await ran(hook(says), seconds=0)

    assert (result.outcome, result.verdict.vote, says.shown) == (Outcome.TIMEOUT, Vote.DENY, [])


async def test_a_cancelled_caller_cancels_the_hook() -> None:
    """Cancelling is nobody's failure and passes through."""
    waits = Waits()
    task = asyncio.create_task(ran(hook(waits)))
    await waits.began.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


@dataclass(frozen=True)
class When:
    """A condition with a fixed answer, or none."""

    answer: bool | None
    text: str = "event.x"

    def holds(self, event: Event) -> bool:
        if self.answer is None:
            raise ConditionError("event has no x")
        return self.answer


@pytest.mark.parametrize(
    ("answer", "judges", "expected"),
    [(True, False, True), (False, True, False), (None, True, True), (None, False, False)],
)
def test_a_judge_whose_condition_fails_applies(answer: bool | None, judges: bool, expected: bool) -> None:
    """An unanswered condition never switches a judge off, and never switches a helper on."""
    built = hook(Says(NO_OPINION, judges=judges), condition=When(answer))

    assert applies(BoundHook(built), view(bash("ls"))) is expected


def test_a_condition_is_not_asked_when_the_matcher_does_not_fit() -> None:
    """The matcher comes first."""
    built = hook(Says(NO_OPINION), matcher="Write", condition=When(None))

    assert not applies(BoundHook(built), view(bash("ls")))
