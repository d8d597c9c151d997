"""What the rules of a policy say of a call that nobody makes: no program is run and nothing is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import msgspec

from interlock.effects.classification.book import NO_BOOK, CallBook
from interlock.engine.engine import Engine
from interlock.engine.session_memory import OnceMemory
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import CallView, Handler, Hook, Pattern
from interlock.events.tool import ToolTable
from interlock.events.verdict import Outcome, Verdict, Vote
from interlock.patterns.analyzed_call_view import LongReader

NOT_RUN: Final = "asked only when the call is made"
_KEPT: Final = 4  # engines; each holds the patterns of one policy
_SECONDS: Final = 10.0


class RulesOnlyEngine:
    """Decides as the policy would, but for hooks that start something: those are named and not run."""

    def __init__(
        self, tools: ToolTable, once: OnceMemory, read: LongReader | None, calls: CallBook = NO_BOOK
    ) -> None:
        self._tools: Final = tools
        self._calls: Final = calls
        self._once: Final = _UnclaimedOnce(once)
        self._read: Final = read
        self._engines: Final[dict[str, tuple[tuple[Hook, ...], Engine]]] = {}  # by project

    async def decide(
        self, event: Event, hooks: tuple[Hook, ...], *, root: str = "", revision: str = ""
    ) -> Decision:
        """The decision as far as rules make it; the event's call has an id that no call of a host has."""
        try:
            return await self._engine(hooks, root, revision).decide(event, budget=_SECONDS)
        finally:
            self._calls.withdraw(event)  # a hook that notes calls before they run has noted this one too

    def _engine(self, hooks: tuple[Hook, ...], root: str, revision: str) -> Engine:
        known, found = self._engines.pop(root, ((), None))
        if found is None or known is not hooks:
            stood_in = [_stood_in(hook) for hook in hooks]
            found = Engine(stood_in, revision=revision, tools=self._tools, once=self._once, read=self._read)
        self._engines[root] = (hooks, found)
        if len(self._engines) > _KEPT:
            del self._engines[next(iter(self._engines))]
        return found


def not_run(decision: Decision) -> list[str]:
    """The hooks whose opinion is missing."""
    return [
        row.hook
        for row in decision.trace
        if row.reason == NOT_RUN and row.outcome is not Outcome.SKIPPED and not row.shadow
    ]


def _stood_in(hook: Hook) -> Hook:
    # What keeps a count of calls must not count one that nobody makes.
    if hook.handler.instant and hook.handler.kind != "work":
        return hook
    return msgspec.structs.replace(hook, handler=_StandIn(hook.handler))


@final
class _StandIn:
    """A handler in whose place nothing is done."""

    instant: Final = True

    def __init__(self, real: Handler) -> None:
        self._real: Final = real

    @property
    def kind(self) -> str:
        return self._real.kind

    @property
    def judges(self) -> bool:
        return self._real.judges

    @property
    def patterns(self) -> Sequence[Pattern]:
        return self._real.patterns

    def fingerprint(self) -> Any:
        return self._real.fingerprint()

    def run(self, view: CallView, seconds: float) -> Verdict:
        return Verdict(vote=Vote.ABSTAIN, reason=NOT_RUN if self.judges else None)


class _UnclaimedOnce:
    """Tells whether a `once` hook would still run, and leaves it its run."""

    def __init__(self, real: OnceMemory) -> None:
        self._real: Final = real

    def claim(self, session_id: str, key: str) -> bool:
        if not self._real.claim(session_id, key):
            return False
        self._real.release(session_id, key)
        return True

    def release(self, session_id: str, key: str) -> None:
        """Nothing was taken."""
