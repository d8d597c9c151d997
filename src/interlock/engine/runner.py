"""Running one hook: does it apply, what does it say, what if it fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Final

import msgspec

from interlock.engine.deadline import Clock, Deadline
from interlock.engine.failure import judge_failure
from interlock.engine.pipeline import Bound
from interlock.errors import ConditionError, FailureKind, HookFailedError
from interlock.events.hook import Hook
from interlock.events.verdict import Outcome, Verdict, Vote
from interlock.patterns.call_view import LocalCallView

_GRACE: Final = 0.25
# Names of the module are found sooner than members of a class.
_DENY, _BLOCKING, _SUCCESS = Vote.DENY, Outcome.BLOCKING, Outcome.SUCCESS


class Ran(msgspec.Struct, frozen=True, gc=False):
    """What came of one run."""

    verdict: Verdict
    outcome: Outcome
    duration: float
    passed_open: bool = False


def applies(bound: Bound, view: LocalCallView) -> bool:
    """Whether matcher and condition mean this event; a judge whose condition fails to answer applies."""
    if bound.fires is not None and not bound.fires(view, every_part=False):
        return False
    if bound.condition is None:
        return True
    try:
        return bound.condition.holds(view.event)
    except ConditionError:
        return bound.judges


async def run(hook: Hook, view: LocalCallView, deadline: Deadline, clock: Clock = time.monotonic) -> Ran:
    """Run a hook within its time; every way of failing becomes a verdict."""
    started = start(hook, view, deadline, clock)
    return started if isinstance(started, Ran) else await started


def start(
    hook: Hook, view: LocalCallView, deadline: Deadline, clock: Clock = time.monotonic
) -> Ran | Awaitable[Ran]:
    """The same, without waiting for anything where the hook answers at once."""
    begun = clock()
    seconds = deadline.cap(hook.timeout, begun)
    if seconds <= 0:
        return _failed(hook, view, _no_time(hook), clock() - begun)
    try:
        answer = hook.handler.run(view, seconds)
    except Exception as error:  # noqa: BLE001 - whatever a hook raises is its failure, never the engine's
        return _failed(hook, view, _failure(hook, error, seconds), clock() - begun)
    if isinstance(answer, Verdict):
        outcome = _BLOCKING if answer.vote is _DENY else _SUCCESS
        return Ran(answer, outcome, clock() - begun, answer.ignored)
    return _wait(hook, view, answer, seconds, lambda: clock() - begun)


def _no_time(hook: Hook) -> HookFailedError:
    return HookFailedError(FailureKind.TIMEOUT, f"no time was left for hook `{hook.name}`")


async def _wait(
    hook: Hook, view: LocalCallView, answer: Awaitable[Verdict], seconds: float, passed: Clock
) -> Ran:
    try:
        # A handler keeps its own time and says better what was late; this is for one that does not.
        async with asyncio.timeout(seconds + _GRACE):
            verdict = _verdict(hook, await answer)
    except Exception as error:  # noqa: BLE001 - as above, for a hook that takes its time
        return _failed(hook, view, _failure(hook, error, seconds), passed())
    outcome = _BLOCKING if verdict.vote is _DENY else _SUCCESS
    return Ran(verdict=verdict, outcome=outcome, duration=passed(), passed_open=verdict.ignored)


def _failed(hook: Hook, view: LocalCallView, failure: HookFailedError, duration: float) -> Ran:
    verdict, passed_open = judge_failure(hook, view.event.name, failure)
    outcome = Outcome.TIMEOUT if failure.kind is FailureKind.TIMEOUT else Outcome.ERROR
    noted = msgspec.structs.replace(verdict, reason=failure.message)
    return Ran(verdict=noted, outcome=outcome, duration=duration, passed_open=passed_open)


def _failure(hook: Hook, error: Exception, seconds: float) -> HookFailedError:
    """What a hook raised, as a kind of failure and a sentence."""
    if isinstance(error, HookFailedError):
        return error
    if isinstance(error, TimeoutError):
        message = f"hook `{hook.name}` gave no answer within {seconds:g} s"
        return HookFailedError(FailureKind.TIMEOUT, message)
    return HookFailedError(FailureKind.CRASH, f"hook `{hook.name}` crashed: {error!r}")


def _verdict(hook: Hook, answer: object) -> Verdict:
    if isinstance(answer, Verdict):
        return answer
    raise HookFailedError(FailureKind.GARBAGE, f"hook `{hook.name}` answered {answer!r}, which is no verdict")
