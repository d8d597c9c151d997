"""What is decided for this event? The one place that lists the stages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from interlock.blocking import BlockingLoop
from interlock.deadline import Clock, Deadline
from interlock.decision import Decision
from interlock.event import Event
from interlock.hooks import MAX_TIMEOUT, Hook
from interlock.once import OnceInMemory, OnceMemory
from interlock.patterns.far_sight import FarSight, LongReader
from interlock.running import Ran, applies, start
from interlock.selection import Bound, Group, Revision
from interlock.standard_tools import STANDARD_TOOLS
from interlock.tally import Tally
from interlock.tool import ToolTable
from interlock.verdict import Outcome, Vote

Recorder = Callable[[Event, Decision], Awaitable[None]]
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
        clock: Clock = time.monotonic,
    ) -> None:
        self._tools: Final = tools
        self._once: Final = once or OnceInMemory()
        self._record: Final = record
        self._read: Final = read  # long texts; None: here and now
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
        return await self._decide(Tally(event, self._revision), event, budget)

    async def _decide(self, tally: Tally, event: Event, budget: float) -> Decision:
        deadline = Deadline(budget, self._clock)
        revision = tally.revision
        if self._read is not None and tally.sight.is_long:
            await self._read_ahead(tally)
        await self._run_in_order(revision.groups(event.name), tally, deadline)
        if tally.must_judge_again:
            await self._judge_again(revision.bound_to(event.name), tally, deadline)
        decision = tally.decision()
        if self._record is not None:
            await self._record(event, decision)
        return decision

    def decide_sync(self, event: Event, *, budget: float = MAX_TIMEOUT) -> Decision:
        """The same for callers without an event loop."""
        decision = self.decide_now(event, budget=budget)
        return decision or self._blocking.run(self._decide(Tally(event, self._revision), event, budget))

    def begin(self, event: Event) -> Tally | None:
        """An event, read, for `match` and `decide_now` to go on with; None where that may not be wanted.

        Of many events, each takes less time if all go through one step before any goes through the next.
        """
        revision = self._revision
        if event.tool is None or not revision.asks(event.name) or not revision.instant(event.name):
            return None
        tally = Tally(event, revision)
        if self._read is not None and tally.sight.is_long:
            return None
        tally.sight.read()
        return tally

    def match(self, begun: Tally) -> Tally:
        """Find the patterns that an event meets."""
        begun.sight.look()
        return begun

    def decide_now(
        self, event: Event, *, budget: float = MAX_TIMEOUT, begun: Tally | None = None
    ) -> Decision | None:
        """The decision where every hook of this moment answers at once, else None."""
        revision = begun.revision if begun else self._revision
        if self._record is not None or not revision.instant(event.name):
            return None
        tally = begun or Tally(event, revision)
        if self._read is not None and tally.sight.is_long:
            return None
        return self._blocking.finish_at_once(self._decide(tally, event, budget))

    def close(self) -> None:
        """End the loop behind `decide_sync`, if it was ever needed."""
        self._blocking.close()

    async def _read_ahead(self, tally: Tally) -> None:
        """Have a long call looked at elsewhere before anybody asks about it."""
        sight = tally.sight
        if self._read is None or not sight.is_long:
            return
        seen = await self._read(sight)
        if isinstance(seen, str):
            sight.give_up(seen)
        else:
            tally.sight = FarSight(sight.event, sight.book, seen)
        await asyncio.sleep(0)  # a long call is long in every step: others go in between

    async def _run_in_order(self, groups: Sequence[Group], tally: Tally, deadline: Deadline) -> None:
        """Run those that apply, until one of them ends the chain."""
        for group in groups:
            # What most hooks of most policies come down to: they speak of patterns, and none of them hit.
            if group.texts is not None and group.texts.isdisjoint(tally.sight.hits):
                tally.skip_all(group)
                continue
            for one in group.bound:
                unmet = one.texts is not None and one.texts.isdisjoint(tally.sight.hits)
                if unmet or not applies(one, tally.sight) or not self._claimed(one, tally):
                    tally.skip(one)
                elif await self._run(one, tally, deadline):
                    return

    async def _judge_again(self, bound: Sequence[Bound], tally: Tally, deadline: Deadline) -> None:
        """Run every judge that has not seen the final input; its own changes are ignored."""
        for one in bound:
            stale = one.rejudges and tally.seen(one) != tally.version
            if not stale or not applies(one, tally.sight):
                continue
            if tally.seen(one) is None and not self._claimed(one, tally):
                continue
            if await self._run(one, tally, deadline, again=True):
                return

    async def _run(self, bound: Bound, tally: Tally, deadline: Deadline, *, again: bool = False) -> bool:
        spent, sight = False, tally.sight
        try:
            started = start(bound.hook, sight, deadline, self._clock)
            ran = started if isinstance(started, Ran) else await started
            spent = ran.verdict.vote is not _DENY and ran.outcome is not _TIMEOUT
        finally:
            # Also when the caller gave up meanwhile: a run that was cut off was no run.
            if bound.hook.once and not spent:
                self._once.release(tally.sight.event.session_id, bound.key)
        ended = tally.take(bound, ran, again=again)
        if self._read is not None and not ended and tally.sight is not sight:
            await self._read_ahead(tally)  # the hook may have put a long text in the place of the old
        return ended

    def _claimed(self, bound: Bound, tally: Tally) -> bool:
        return not bound.hook.once or self._once.claim(tally.sight.event.session_id, bound.key)
