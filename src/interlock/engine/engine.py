"""What is decided for this event? The one place that lists the stages; and how one hook is run in time."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import msgspec

from interlock.effects.tool_fields import carried_call
from interlock.engine.decision_builder import DecisionBuilder, HookRun
from interlock.engine.failure import judge_failure
from interlock.engine.pipeline import BoundHook, Pipeline
from interlock.engine.session_memory import OnceInMemory, OnceMemory, Rounds
from interlock.errors import ConditionError, FailureKind, HookFailedError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import MAX_TIMEOUT, Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Outcome, Verdict, Vote
from interlock.patterns.analyzed_call_view import AnalyzedCallView, LongReader
from interlock.patterns.call_view import LocalCallView

Recorder = Callable[[Event, Decision], Awaitable[None]]
T = TypeVar("T")
# Yields whatever has to be waited for and is sent its result, so that most decisions need no event loop.
Stages: TypeAlias = Generator[Awaitable[Any], Any, T]
_BEFORE_TOOLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
Clock = Callable[[], float]
_GRACE: Final = 0.25


class Deadline:
    """The moment by which everything about one event must be answered, on a clock that never jumps."""

    __slots__ = ("clock", "end")

    def __init__(self, seconds: float, clock: Clock = time.monotonic) -> None:
        self.clock: Final = clock
        self.end: Final = clock() + seconds


class Engine:
    """Decides events under one policy, which can be replaced while it runs."""

    def __init__(
        self,
        hooks: Sequence[Hook] = (),
        *,
        revision: str = "",
        tools: ToolTable = STANDARD_TOOLS,
        once: OnceMemory | None = None,
        record: Recorder | None = None,
        read: LongReader | None = None,
        rounds: Rounds | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._tools: Final = tools
        self._once: Final = once or OnceInMemory()
        self._record: Final = record
        self._read: Final = read  # long texts; None: here and now
        self._rounds: Final = rounds  # counts the blocks of stops; None: nobody does
        self._clock: Final = clock
        self._blocking: Final = BlockingLoop()
        self._pipeline = Pipeline(hooks, revision, tools)

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """The effective pipeline, in the order it runs."""
        return self._pipeline.hooks

    def waits_at(self, event_name: str) -> bool:
        """Whether some hook of this moment takes its time."""
        return event_name in self._pipeline.waiting

    def reload(self, hooks: Sequence[Hook], *, revision: str = "") -> None:
        """Replace the policy; events under way keep the one they began with, `once` is remembered."""
        self._pipeline = Pipeline(hooks, revision, self._tools)

    async def decide(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """Decide one event within this many seconds."""
        started = self.start(event, budget=budget)
        return started if isinstance(started, Decision) else await started

    def decide_sync(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """The same for callers without an event loop."""
        started = self.start(event, budget=budget)
        return started if isinstance(started, Decision) else self._blocking.run(started)

    def start(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision | Coroutine[Any, Any, Decision]:
        """The decision where nothing has to be waited for, else the rest of the work, to be awaited."""
        stages = self._stages(event, Deadline(budget, self._clock))
        try:
            awaited = next(stages)
        except StopIteration as end:
            decision: Decision = end.value
            return decision
        return _finish(stages, awaited)

    def close(self) -> None:
        """End the loop behind `decide_sync`, if it was ever needed."""
        self._blocking.close()

    def _stages(self, event: Event, deadline: Deadline) -> Stages[Decision]:
        """Run the hooks that apply, judge the final input again, take the strictest vote."""
        builder = DecisionBuilder(event, self._pipeline, self._rounds)
        if self._read is not None and builder.view.is_long:
            builder.view = yield from self._read_long(self._read, builder.view)
        if self._read is not None and builder.of_server and (carried := carried_call(event)) is not None:
            builder.carried = builder.pipeline.view(carried)
            if builder.carried.is_long:
                builder.carried = yield from self._read_long(self._read, builder.carried)
        for bound in self._applying(builder, event.name):
            if (yield from self._run(bound, builder, deadline)):
                break
        if builder.version and builder.must_judge_again:
            for bound in self._stale(builder, event.name):
                if (yield from self._run(bound, builder, deadline, again=True)):
                    break
        decision = builder.decision(builder.view.noted_unread)
        if self._record is not None:
            yield self._record(event, decision)
        return decision

    def _run(
        self, bound: BoundHook, builder: DecisionBuilder, deadline: Deadline, *, again: bool = False
    ) -> Stages[bool]:
        """Run one hook and count what it said; True when it ends the chain."""
        ran: HookRun | None = None
        view = builder.view
        try:
            started = start(bound.hook, view, deadline)
            ran = started if isinstance(started, HookRun) else (yield started)
        finally:
            if bound.key and (ran is None or _is_wasted(ran)):
                # Also when the caller gave up meanwhile: a run that was cut off was not a run.
                self._once.release(view.event.session_id, bound.key)
        ended = builder.take(bound, ran, again=again)
        if self._read is not None and not ended and builder.view is not view and builder.view.is_long:
            builder.view = yield from self._read_long(self._read, builder.view)  # the hook made it long
        return ended

    @staticmethod
    def _read_long(read: LongReader, view: LocalCallView) -> Stages[LocalCallView]:
        """Have a long call looked at elsewhere before anybody asks about it."""
        analysis = yield read(view)
        yield asyncio.sleep(0)  # a long call is long in every step: others go in between
        if isinstance(analysis, str):
            view.give_up(analysis)
            return view
        return AnalyzedCallView(view.event, view.book, analysis)

    def _applying(self, builder: DecisionBuilder, event_name: str) -> Iterator[BoundHook]:
        """The hooks that apply, in order, each asked when those before it have had their say."""
        for group in builder.pipeline.groups.get(event_name, ()):
            # What most hooks of most policies come down to: they are about patterns, and none of them hit.
            if group.texts is not None and group.texts.isdisjoint(builder.view.hits):
                builder.rows.extend(group.skipped)
                continue
            for bound in group.bound:
                if self._applies(bound, builder):
                    yield bound
                elif not bound.hook.quiet:
                    builder.skip(bound)
        if builder.of_server and event_name in _BEFORE_TOOLS:
            carried = carried_call(builder.view.event)
            if carried is not None:
                yield from self._judging_carried(builder, carried)

    def _judging_carried(self, builder: DecisionBuilder, carried: Event) -> Iterator[BoundHook]:
        """The rules that apply to what a call gives to a shell, each with that call before its eyes."""
        whole, ready = builder.view, builder.carried
        is_ready = ready is not None and ready.event == carried
        builder.view = ready if ready is not None and is_ready else builder.pipeline.view(carried)
        if self._read is not None and not is_ready and builder.view.is_long:
            builder.view.give_up("longer than what is read at once")  # a hook has put it there
        for bound in builder.pipeline.bound_to(carried.name):
            if bound.judges_carried and self._applies(bound, builder):
                yield bound
        builder.view = whole

    def _stale(self, builder: DecisionBuilder, event_name: str) -> Iterator[BoundHook]:
        """Every judge that has not seen the final input, to run again; its own changes are ignored."""
        for bound in builder.pipeline.bound_to(event_name):
            seen = builder.version_seen_by(bound)
            stale = bound.rejudges and seen != builder.version and (seen is None or not bound.runs_once)
            if stale and self._applies(bound, builder):
                yield bound

    def _applies(self, bound: BoundHook, builder: DecisionBuilder) -> bool:
        """Whether a hook means this event; its `once` is claimed last."""
        if not applies(bound, builder.view):
            return False
        return not bound.key or self._once.claim(builder.view.event.session_id, bound.key)


def applies(bound: BoundHook, view: LocalCallView) -> bool:
    """Whether matcher and condition mean this event; a judge whose condition fails to answer applies."""
    if bound.texts is not None and bound.texts.isdisjoint(view.hits):
        return False
    if bound.fires is not None and not bound.fires(view, every_part=False):
        return False
    if bound.condition is None:
        return True
    try:
        return bound.condition.holds(view.event)
    except ConditionError:
        return bound.judges


def _is_wasted(ran: HookRun) -> bool:
    """Whether a hook that runs once has its run still before it."""
    return ran.verdict.vote is Vote.DENY or ran.outcome is Outcome.TIMEOUT


async def _finish(stages: Stages[Decision], awaited: Awaitable[Any]) -> Decision:
    """Wait for each thing that the stages wait for, until they have decided."""
    try:
        while True:
            awaited = stages.send(await awaited)
    except StopIteration as end:
        decision: Decision = end.value
        return decision
    finally:
        stages.close()  # where the caller gave up, what hooks have claimed is given back


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
