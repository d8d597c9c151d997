"""What is decided for this event? The one place that lists the stages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from interlock.effects.tools.carried import carried_call
from interlock.engine.deadline import Clock, Deadline
from interlock.engine.decision_builder import OneMore, Tally
from interlock.engine.once import OnceInMemory, OnceMemory
from interlock.engine.pipeline import Bound, Revision
from interlock.engine.runner import Ran, applies, start
from interlock.engine.sync_loop import BlockingLoop
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import MAX_TIMEOUT, Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.events.verdict import Outcome, Vote
from interlock.patterns.analyzed_call_view import AnalyzedCallView, LongReader
from interlock.patterns.call_view import LocalCallView

Recorder = Callable[[Event, Decision], Awaitable[None]]
# A decision whose hooks answered at once, until one had to wait; called with the time there is for the rest.
Unfinished: TypeAlias = Callable[[float], Coroutine[Any, Any, Decision]]
_BEFORE_TOOLS: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
_DENY, _TIMEOUT = Vote.DENY, Outcome.TIMEOUT  # names of the module are found sooner than members of a class


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
        one_more: OneMore | None = None,
        clock: Clock = time.monotonic,
    ) -> None:
        self._tools: Final = tools
        self._once: Final = once or OnceInMemory()
        self._record: Final = record
        self._read: Final = read  # long texts; None: here and now
        self._one_more: Final = one_more  # counts the blocks of stops; None: nobody does
        self._clock: Final = clock
        self._blocking: Final = BlockingLoop()
        self._revision = Revision(hooks, revision, tools)

    @property
    def hooks(self) -> tuple[Hook, ...]:
        """The effective pipeline, in the order it runs."""
        return self._revision.hooks

    def reload(self, hooks: Sequence[Hook], *, revision: str = "") -> None:
        """Replace the policy; events under way keep the one they began with, `once` is remembered."""
        self._revision = Revision(hooks, revision, self._tools)

    async def decide(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """Decide one event: select, run in order, judge the final input again, take the strictest vote."""
        return await self._decide(self._tally(event), event, budget)

    async def _decide(self, tally: Tally, event: Event, budget: float) -> Decision:
        deadline = Deadline(budget, self._clock)
        if self._read is not None and tally.view.is_long:
            await self._read_ahead(tally)
        if self._read is not None and (event_carried := carried_call(event)) is not None:
            tally.carried = await self._looked_at(tally.revision.view(event_carried))
        decision = await self._rest(self._applying(tally, event.name), tally, deadline)
        if self._record is not None:
            await self._record(event, decision)
        return decision

    async def _rest(self, hooks: Iterator[Bound], tally: Tally, deadline: Deadline) -> Decision:
        """Run these hooks, and once more those that have not seen the final input."""
        for one in hooks:
            if await self._run(one, tally, deadline):
                break
        return await self._judged_again(self._stale_if_changed(tally), tally, deadline)

    async def _judged_again(self, judges: Iterator[Bound], tally: Tally, deadline: Deadline) -> Decision:
        for one in judges:
            if await self._run(one, tally, deadline, again=True):
                break
        return tally.decision()

    def decide_sync(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """The same for callers without an event loop."""
        decision = self.decide_now(event, budget=budget)
        if isinstance(decision, Decision):
            return decision
        rest = decision(budget) if decision else self._decide(self._tally(event), event, budget)
        return self._blocking.run(rest)

    def _tally(self, event: Event) -> Tally:
        return Tally(event, self._revision, self._one_more)

    def begin(self, event: Event) -> Tally | None:
        """An event, read, for `decide_now` to go on with; None where that may not be wanted.

        Of many events, each takes less time if all go through one step before any goes through the next:
        between these two comes `view.look`.
        """
        revision = self._revision
        if event.tool is None or event.name not in revision.asking:
            return None
        tally = Tally(event, revision)
        if self._read is not None and (tally.view.is_long or self._carries_much(event)):
            return None
        tally.view.read()
        return tally

    def decide_now(
        self, event: Event, *, budget: float = MAX_TIMEOUT, begun: Tally | None = None
    ) -> Decision | Unfinished | None:
        """The decision where every hook of this moment answers at once, else None.

        Where a hook that mostly does has to wait this time, the rest of the decision is left to be awaited.
        """
        revision = begun.revision if begun else self._revision
        if self._record is not None or event.name in revision.waiting:
            return None
        tally = begun or Tally(event, revision, self._one_more)
        if begun is None and self._read is not None and (tally.view.is_long or self._carries_much(event)):
            return None
        # The stages of `_decide`, without what it takes to wait: most calls of most policies go this way.
        deadline = Deadline(budget, self._clock)
        hooks = self._applying(tally, event.name)
        for one in hooks:
            if ended := self._run_now(one, tally, deadline):
                if ended is not True:
                    return partial(self._go_on, one, ended, hooks, tally)
                break
        if tally.must_judge_again:
            judges = self._stale(tally, event.name)
            for one in judges:
                if ended := self._run_now(one, tally, deadline, again=True):
                    if ended is not True:
                        return partial(self._go_on, one, ended, judges, tally, again=True)
                    break
        return tally.decision()

    async def _go_on(
        self,
        one: Bound,
        started: Awaitable[Ran],
        hooks: Iterator[Bound],
        tally: Tally,
        budget: float,
        *,
        again: bool = False,
    ) -> Decision:
        """What is left of a decision when a hook that has been started has answered."""
        deadline = Deadline(budget, self._clock)
        if await self._finish(one, started, tally, again=again):
            hooks = iter(())
        rest = self._judged_again if again else self._rest
        return await rest(hooks, tally, deadline)

    def close(self) -> None:
        """End the loop behind `decide_sync`, if it was ever needed."""
        self._blocking.close()

    async def _read_ahead(self, tally: Tally) -> None:
        """Have a long call looked at elsewhere before anybody asks about it."""
        tally.view = await self._looked_at(tally.view)

    async def _looked_at(self, view: LocalCallView) -> LocalCallView:
        if self._read is None or not view.is_long:
            return view
        seen = await self._read(view)
        if isinstance(seen, str):
            view.give_up(seen)
        else:
            view = AnalyzedCallView(view.event, view.book, seen)
        await asyncio.sleep(0)  # a long call is long in every step: others go in between
        return view

    def _applying(self, tally: Tally, event_name: str) -> Iterator[Bound]:
        """The hooks that apply, in order, each asked when those before it have had their say."""
        for group in tally.revision.groups(event_name):
            texts = group.texts
            # What most hooks of most policies come down to: they speak of patterns, and none of them hit.
            if texts is not None and texts.isdisjoint(tally.view.hits):
                tally.skip_all(group)
                continue
            for one in group.bound:
                if one.unbound:
                    meant = one.fires is None or one.fires(tally.view, every_part=False)
                else:
                    meant = self._meant(one, tally)
                if meant:
                    yield one
                elif not one.quiet:
                    tally.skip(one)
        event = carried_call(tally.view.event) if event_name in _BEFORE_TOOLS else None
        if event is not None:
            yield from self._judging_carried(tally, event)

    def _judging_carried(self, tally: Tally, event: Event) -> Iterator[Bound]:
        """The rules that apply to what a call gives to a shell, each with that call before its eyes."""
        whole = tally.view
        ready = tally.carried
        tally.view = ready if ready and ready.event == event else tally.revision.view(event)
        if self._read is not None and tally.view is not ready and tally.view.is_long:
            tally.view.give_up("longer than what is read at once")  # a hook has put it there
        for one in tally.revision.bound_to(event.name):
            if one.carried and self._meant(one, tally):
                yield one
        tally.view = whole

    def _carries_much(self, event: Event) -> bool:
        """Whether a call gives a shell more to read than others should wait for."""
        carried = carried_call(event)
        return carried is not None and self._revision.view(carried).is_long

    def _meant(self, one: Bound, tally: Tally) -> bool:
        """Whether a hook applies that has more to it than a matcher; `once` is claimed last."""
        if one.texts is not None and one.texts.isdisjoint(tally.view.hits):
            return False
        return applies(one, tally.view) and (not one.key or self._claimed(one, tally))

    def _stale(self, tally: Tally, event_name: str) -> Iterator[Bound]:
        """Every judge that has not seen the final input, to run again; its own changes are ignored."""
        for one in tally.revision.bound_to(event_name):
            seen = tally.seen(one)
            stale = one.rejudges and seen != tally.version and (seen is None or not one.runs_once)
            if stale and applies(one, tally.view) and (not one.key or self._claimed(one, tally)):
                yield one

    def _run_now(
        self, bound: Bound, tally: Tally, deadline: Deadline, *, again: bool = False
    ) -> bool | Awaitable[Ran]:
        """Run a hook that answers at once; True when it ends the chain, and its run where it has to wait."""
        started: Ran | Awaitable[Ran] | None = None
        try:
            started = start(bound.hook, tally.view, deadline, self._clock)
        finally:
            if bound.key and (started is None or isinstance(started, Ran)):
                self._keep_claim(bound, tally, started)
        return tally.take(bound, started, again=again) if isinstance(started, Ran) else started

    async def _run(self, bound: Bound, tally: Tally, deadline: Deadline, *, again: bool = False) -> bool:
        started: Ran | Awaitable[Ran] | None = None
        try:
            started = start(bound.hook, tally.view, deadline, self._clock)
        finally:
            if bound.key and started is None:
                self._keep_claim(bound, tally, None)
        return await self._finish(bound, started, tally, again=again)

    async def _finish(
        self, bound: Bound, started: Ran | Awaitable[Ran], tally: Tally, *, again: bool
    ) -> bool:
        """Wait for a run, where it takes its time, and count what came of it."""
        ran: Ran | None = None
        view = tally.view
        try:
            ran = started if isinstance(started, Ran) else await started
        finally:
            if bound.key:
                self._keep_claim(bound, tally, ran)
        ended = tally.take(bound, ran, again=again)
        if self._read is not None and not ended and tally.view is not view:
            await self._read_ahead(tally)  # the hook may have put a long text in the place of the old
        return ended

    def _stale_if_changed(self, tally: Tally) -> Iterator[Bound]:
        return self._stale(tally, tally.view.event.name) if tally.must_judge_again else iter(())

    def _claimed(self, bound: Bound, tally: Tally) -> bool:
        return self._once.claim(tally.view.event.session_id, bound.key)

    def _keep_claim(self, bound: Bound, tally: Tally, ran: Ran | None) -> None:
        """Give the one run back that a hook has, unless it was used."""
        # Also when the caller gave up meanwhile: a run that was cut off was no run.
        if ran is None or ran.verdict.vote is _DENY or ran.outcome is _TIMEOUT:
            self._once.release(tally.view.event.session_id, bound.key)
