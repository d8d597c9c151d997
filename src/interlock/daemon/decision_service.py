"""From the bytes of a call to the bytes of its answer; `receive`, `_decide` and `_answer` are the whole path.

parse, who and where → policy → engine → settle the ask → write for the host → append to the ledger. The
committer then makes the entry durable and sends the answer. Features take part only through `Extensions`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.daemon.call_intake import (
    CallIntake,
    ParsedCall,
    PendingAnswer,
    Refuser,
    RejectedCall,
    SessionContext,
    closes,
    summary_of,
)
from interlock.daemon.decided_calls import CallsBeforeRestart, DuplicateCalls, OverrideCheck
from interlock.daemon.extension import Extensions
from interlock.daemon.host_notes import Budgets, HostSelfTest
from interlock.daemon.offline_files import PROMPTS
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.daemon.protocol import Call
from interlock.daemon.session_memory import Stops
from interlock.events.decision import Decision
from interlock.events.hook import MAX_TIMEOUT
from interlock.events.names import DRAWN, JUDGED, EventName
from interlock.events.verdict import Vote
from interlock.hosts.host import SELF_TEST_REASON, SELF_TEST_TOOL, Reply, State
from interlock.ledger.decision_record import body_of, evidence_of
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.marks import visible_words
from interlock.redaction.redactor import KEYLESS, Redactor

# At these, features may add a message or hold a turn back.
_TURNS: Final = frozenset(
    {EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT, EventName.STOP, EventName.SUBAGENT_STOP}
)
_NO_HOOKS: Final = PendingAnswer(Reply(), durable=False)  # and therefore no entry
Answer = PendingAnswer | Awaitable[PendingAnswer]


class DecisionService:
    """Decides calls; its entries stay pending in the ledger until the committer writes them."""

    def __init__(
        self,
        policies: Policies,
        ledger: LedgerWriter,
        *,
        extensions: Extensions | None = None,
        sessions: SessionContext | None = None,
        own_home: Path | None = None,
        self_test: HostSelfTest | None = None,
        budgets: Budgets | None = None,
        redactor: Redactor = KEYLESS,
        stops: Stops | None = None,
        before: CallsBeforeRestart | None = None,
    ) -> None:
        self._ledger: Final = ledger
        self._extensions: Final = extensions or Extensions()
        self._sessions: Final = sessions or SessionContext(self._extensions)
        self._intake: Final = CallIntake(policies, self._sessions)
        self._before: Final = before
        self._stops: Final = stops or Stops()
        # As text, because every event compares it; resolved, because a link into a project is inside it too.
        self._own_home: Final = str(own_home.resolve()) if own_home else None
        self._self_test: Final = self_test
        self._budgets: Final = budgets or Budgets()
        self._redactor: Final = redactor
        self._refuser: Final = Refuser(policies, ledger, self._extensions.withdraw)
        self._answered: Final = DuplicateCalls()
        self._overrides: Final = OverrideCheck()
        self._open_passes = 0  # hooks that failed while the call went on
        self._usable: Loaded | None = None  # the last policy that passed `_unusable`; most calls share it
        self.watched = False  # whether a client watches decisions live
        self.events = 0

    @property
    def open_passes(self) -> int:
        """How often something failed and the call went on: the one number to alert on."""
        return self._open_passes + self._refuser.open_passes

    def receive(self, call: Call) -> Answer:
        """Answer at once where every hook does; otherwise return what makes the answer."""
        self.events += 1
        opened = self._intake.open(call)  # parse, who and where, policy
        if isinstance(opened, RejectedCall):
            return self._refuser.refuse_unopened(opened)
        return self._answered.known(opened.identity) or self._skip_hooks(opened) or self._decide(opened)

    def _decide(self, opened: ParsedCall) -> Answer:
        begun = time.perf_counter()
        try:
            if self._before is not None and (recalled := self._recall(self._before, opened)) is not None:
                return recalled
            event, engine = opened.event, opened.loaded.engine
            slow = engine.waits_at(event.name)
            decision = engine.start(event, budget=self._budget(opened) if slow else MAX_TIMEOUT)
            if isinstance(decision, Decision) and not self._is_held(opened, decision):
                return self._answer(opened, decision, time.perf_counter() - begun)
            self._keep_counts(opened)
        except Exception as error:  # a defect or a broken store must not let a call pass
            return self._refuser.refuse_undecided(opened, error)
        return self._start(opened, self._decide_later(opened, decision, begun))

    async def _decide_later(
        self, opened: ParsedCall, decision: Decision | Awaitable[Decision], begun: float
    ) -> PendingAnswer:
        """Wait for slow hooks, and for a person to answer, as long as the host waits for us."""
        try:
            if not isinstance(decision, Decision):
                decision = await decision
            seconds = time.perf_counter() - begun
            if self._is_held(opened, decision):
                left = self._budget(opened) - seconds
                decision = await self._extensions.settler.hold(opened, decision, left)
            return self._answer(opened, decision, seconds)
        except Exception as error:  # as in `_decide`
            return self._refuser.refuse_undecided(opened, error)

    def _answer(self, opened: ParsedCall, decision: Decision, seconds: float) -> PendingAnswer:
        """Settle the ask, write for the host and append; an error in any of them refuses the call."""
        decision = self._settle(opened, decision)
        self._sessions.callers.decided(opened.event, decision)
        reply = opened.host.write(opened.event, decision)
        if reply.degraded:
            decision = msgspec.structs.replace(decision, degraded=(*decision.degraded, *reply.degraded))
        answer = _pending(opened, reply, self._append(opened, decision, seconds))
        self._answered.remember(answer)
        return answer

    def _settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        """Answer an ask; at the start and end of a session or turn, add what there is to say."""
        if decision.vote is Vote.ASK:
            decision = self._extensions.settler.settle(opened, decision)
        if opened.event.name not in _TURNS:
            return decision
        if opened.event.name == EventName.SESSION_START:
            closed, notice = self._ledger.closed(), opened.loaded.notice
            notices = [] if closed is None else [f"Interlock denies every tool call: {closed}"]
            notices += [notice] if notice else []
            decision = msgspec.structs.replace(decision, messages=(*decision.messages, *notices))
        decision = self._extensions.at_turn(opened, decision)
        return self._stops.settled(opened.event, decision, lambda: self._budgets.rounds(opened.host))

    def _append(self, opened: ParsedCall, decision: Decision, seconds: float) -> dict[str, object]:
        """Append the decision and its evidence; return a summary if somebody watches."""
        event, redactor = opened.event, self._redactor
        for recorder in self._extensions.recorders:  # what is not on record does not run
            recorder.before_record(event, decision)
        append = self._ledger.append
        who_where = event.actor, opened.loaded.root
        keep = partial(visible_words, event)  # redaction leaves programs, paths and hosts readable
        body = body_of(event, decision, seconds, redactor)
        entry = append("decision", *who_where, body, keep=keep)
        captured = [
            (evidence.hook, append("evidence", *who_where, evidence, keep=keep))
            for evidence in (evidence_of(event, decision, redactor.text) if decision.evidence else ())
        ]
        self._open_passes += decision.open_passes
        if event.name == EventName.PRE_TOOL_USE:
            self._overrides.expect(event, decision)
        else:
            if (overridden := self._overrides.find(event)) is not None:
                append("overridden", *who_where, overridden)
            for inferred in self._extensions.settler.observed(event):
                append("approval", *who_where, inferred)
        return redactor.value(summary_of(event, decision, entry, body, captured)) if self.watched else {}

    def _skip_hooks(self, opened: ParsedCall) -> Answer | None:
        """Answer without hooks: a self-test, no hook for the event, or no usable policy."""
        event = opened.event
        if event.tool is not None and event.tool.name == SELF_TEST_TOOL:
            return self._refuser.refuse(opened, SELF_TEST_REASON)
        if event.name not in JUDGED:
            hooks = opened.loaded.engine.hooks
            if event.name in DRAWN and not any(event.name in hook.events for hook in hooks):
                return _NO_HOOKS
        elif opened.loaded is not self._usable:
            if (why := self._unusable(opened.loaded)) is not None:
                return self._refuser.refuse(opened, why)
            self._usable = opened.loaded
        if self._self_test is not None and event.name == EventName.SESSION_START:
            version = self._self_test.due(opened.host, event)
            if version is not None:
                return self._start(opened, self._decide_after_test(self._self_test, opened, version))
        return None

    def _unusable(self, loaded: Loaded) -> str | None:
        if not loaded.usable:
            return f"the policy does not load: {loaded.problem}"
        if self._own_home and loaded.root.strip("/") and f"{self._own_home}/".startswith(f"{loaded.root}/"):
            # An agent that may write into the project could rewrite the policy that judges it.
            return f"Interlock's home, `{self._own_home}`, is inside this project; move it out"
        return None

    async def _decide_after_test(
        self, self_test: HostSelfTest, opened: ParsedCall, version: str
    ) -> PendingAnswer:
        """At the first session of a host version, run the self-test; the person sees a failure."""
        loaded = opened.loaded
        check = await self_test.try_out(opened.host, version, opened.event.cwd)
        body = {"host": opened.host.name, "version": version, "result": check.state, "detail": check.detail}
        self._ledger.append("self_test", "system", loaded.root, body)
        if check.state is not State.OK:
            why = f"Interlock may not guard {opened.host.name} {version}: {check.detail}"
            notice = "\n".join(filter(None, (loaded.notice, f"{why}; run `interlock doctor`")))
            loaded = msgspec.structs.replace(loaded, notice=notice)
            opened = msgspec.structs.replace(opened, loaded=loaded)
        decision = loaded.engine.decide(opened.event, budget=self._budget(opened))
        return await self._decide_later(opened, decision, time.perf_counter())

    def _recall(self, before: CallsBeforeRestart, opened: ParsedCall) -> PendingAnswer | None:
        """Repeat the answer that an earlier daemon recorded, without deciding or recording it again."""
        event = opened.event
        if (recalled := before.find(event)) is None:
            return None
        if recalled.untold:
            return self._refuser.refuse(opened, recalled.untold)
        self._sessions.callers.decided(event, recalled.decision)
        self._overrides.expect(event, recalled.decision)
        answer = _pending(opened, opened.host.write(event, recalled.decision), {})
        self._answered.remember(answer)
        return answer

    def _keep_counts(self, opened: ParsedCall) -> None:
        """Commit what hooks have counted so far; the decision's own entry comes later."""
        if self._ledger.joined:
            event = opened.event
            body = {"deed": "hook", "event": event.name, "session_id": event.session_id}
            self._ledger.append("work", event.actor, opened.loaded.root, body)

    def _start(self, opened: ParsedCall, work: Coroutine[Any, Any, PendingAnswer]) -> Answer:
        """Run this as a task; a second report of the same call waits for the same answer."""
        task = asyncio.ensure_future(work)
        self._answered.expect(opened.identity, task)
        return task

    def _is_held(self, opened: ParsedCall, decision: Decision) -> bool:
        return decision.vote is Vote.ASK and self._extensions.settler.holds(opened, decision)

    def _budget(self, opened: ParsedCall) -> float:
        return self._budgets.seconds(opened.host, opened.event.name)

    def end_turn(self) -> None:
        """Make the next call look at the policy's files again."""
        self._intake.end_turn()

    def abandon(self, answer: Awaitable[PendingAnswer]) -> None:
        """Stop holding a call whose client has gone."""
        self._extensions.settler.abandon(answer)

    def let_go(self) -> None:
        """Stop holding calls, because the daemon ends."""
        self._extensions.settler.let_go()

    def forget(self, answer: PendingAnswer) -> None:
        """Drop an answer that could not be recorded, so that the same call is decided again."""
        self._answered.forget(answer)


def _pending(opened: ParsedCall, reply: Reply, summary: dict[str, object]) -> PendingAnswer:
    return PendingAnswer(
        reply=reply,
        durable=opened.event.name in JUDGED,
        host=opened.host,
        event=opened.event.name,
        closed=closes(opened) if opened.event.name in PROMPTS else None,
        identity=opened.identity,
        summary=summary,
    )
