"""Running one hook: does it apply, what does it say, what if it fails."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import msgspec

from interlock.deadline import Clock, Deadline
from interlock.errors import ConditionError, FailureKind, HookFailedError
from interlock.failure import judge_failure
from interlock.hooks import Hook
from interlock.patterns.sight import CallSight
from interlock.selection import Bound
from interlock.verdict import Outcome, Verdict, Vote

_GRACE: Final = 0.25


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one run."""

    verdict: Verdict
    outcome: Outcome
    duration: float
    passed_open: bool = False


def applies(bound: Bound, sight: CallSight) -> bool:
    """Whether matcher and condition mean this event; a judge whose condition fails to answer applies."""
    hook = bound.hook
    if not hook.matcher.fires(sight, every_part=False):
        return False
    if hook.condition is None:
        return True
    try:
        return hook.condition.holds(sight.event)
    except ConditionError:
        return bound.judges


async def run(hook: Hook, sight: CallSight, deadline: Deadline, clock: Clock = time.monotonic) -> Ran:
    """Run a hook within its time; every way of failing becomes a verdict."""
    start = clock()
    try:
        verdict = await _answer(hook, sight, deadline.cap(hook.timeout))
    except HookFailedError as failure:
        verdict, passed_open = judge_failure(hook, sight.event.name, failure)
        outcome = Outcome.TIMEOUT if failure.kind is FailureKind.TIMEOUT else Outcome.ERROR
        noted = msgspec.structs.replace(verdict, reason=failure.message)
        return Ran(verdict=noted, outcome=outcome, duration=clock() - start, passed_open=passed_open)
    outcome = Outcome.BLOCKING if verdict.vote is Vote.DENY else Outcome.SUCCESS
    return Ran(verdict=verdict, outcome=outcome, duration=clock() - start, passed_open=verdict.ignored)


async def _answer(hook: Hook, sight: CallSight, seconds: float) -> Verdict:
    if seconds <= 0:
        raise HookFailedError(FailureKind.TIMEOUT, f"no time was left for hook `{hook.name}`")
    try:
        answer = hook.handler.run(sight, seconds)
        if isinstance(answer, Verdict):
            return answer
        # A handler keeps its own time and says better what was late; this is for one that does not.
        async with asyncio.timeout(seconds + _GRACE):
            return _verdict(hook, await answer)
    except HookFailedError:
        raise
    except TimeoutError as late:
        message = f"hook `{hook.name}` gave no answer within {seconds:g} s"
        raise HookFailedError(FailureKind.TIMEOUT, message) from late
    except Exception as crash:  # whatever a hook raises is its failure, never the engine's
        raise HookFailedError(FailureKind.CRASH, f"hook `{hook.name}` crashed: {crash!r}") from crash


def _verdict(hook: Hook, answer: object) -> Verdict:
    if isinstance(answer, Verdict):
        return answer
    raise HookFailedError(FailureKind.GARBAGE, f"hook `{hook.name}` answered {answer!r}, which is no verdict")
