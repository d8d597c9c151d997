"""Running one hook: how long it may take, what it says, what if it fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from interlock.engine.failure import judge_failure
from interlock.errors import FailureKind, HookFailedError
from interlock.events.hook import Hook
from interlock.events.verdict import Outcome, Verdict, Vote
from interlock.patterns.call_view import LocalCallView

Clock = Callable[[], float]
_GRACE: Final = 0.25


class Deadline:
    """The moment by which everything about one event must be answered, on a clock that never jumps."""

    __slots__ = ("clock", "end")

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self.clock: Final = clock
        self.end: Final = clock() + seconds


class HookRun(msgspec.Struct, frozen=True, gc=False):
    """What came of one run."""

    verdict: Verdict
    outcome: Outcome
    duration: float
    passed_open: bool = False


async def run(hook: Hook, view: LocalCallView, deadline: Deadline) -> HookRun:
    """Run a hook within its time; every way of failing becomes a verdict."""
    started = start(hook, view, deadline)
    return started if isinstance(started, HookRun) else await started


def start(hook: Hook, view: LocalCallView, deadline: Deadline) -> HookRun | Awaitable[HookRun]:
    """The same, without waiting for anything where the hook answers at once."""
    begun = deadline.clock()
    seconds = min(hook.timeout, deadline.end - begun)
    if seconds <= 0:
        late = HookFailedError(FailureKind.TIMEOUT, f"no time was left for hook `{hook.name}`")
        return _failed(hook, view, late, duration=0.0)
    try:
        answer = hook.handler.run(view, seconds)
    except Exception as error:  # whatever a hook raises is its failure, never the engine's
        return _failed(hook, view, _failure(hook, error, seconds), deadline.clock() - begun)
    if isinstance(answer, Verdict):
        return _answered(answer, deadline.clock() - begun)
    return _wait(hook, view, answer, seconds, lambda: deadline.clock() - begun)


async def _wait(
    hook: Hook, view: LocalCallView, answer: Awaitable[Verdict], seconds: float, passed: Clock
) -> HookRun:
    try:
        # A handler keeps its own time and says better what was late; this is for one that does not.
        async with asyncio.timeout(seconds + _GRACE):
            verdict = _verdict(hook, await answer)
    except Exception as error:  # as above, for a hook that takes its time
        return _failed(hook, view, _failure(hook, error, seconds), passed())
    return _answered(verdict, passed())


def _answered(verdict: Verdict, duration: float) -> HookRun:
    outcome = Outcome.BLOCKING if verdict.vote is Vote.DENY else Outcome.SUCCESS
    return HookRun(verdict, outcome, duration, passed_open=verdict.ignored)


def _failed(hook: Hook, view: LocalCallView, failure: HookFailedError, duration: float) -> HookRun:
    verdict, passed_open = judge_failure(hook, view.event.name, failure)
    outcome = Outcome.TIMEOUT if failure.kind is FailureKind.TIMEOUT else Outcome.ERROR
    noted = msgspec.structs.replace(verdict, reason=failure.message)
    return HookRun(noted, outcome, duration, passed_open)


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
    raise HookFailedError(
        FailureKind.GARBAGE, f"hook `{hook.name}` answered {answer!r}, which is not a verdict"
    )
