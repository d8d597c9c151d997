"""From the bytes of a call to the bytes of its answer.

parse, who and where → policy → engine → settle the ask → write for the host → append to the ledger; the
committer makes the entry lasting and lets the answer go. Features take part through `Extensions` alone.
"""

from __future__ import annotations

import asyncio
import logging
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
    RejectedCall,
    SessionContext,
    summary_of,
)
from interlock.daemon.decided_calls import CallsBeforeRestart, DuplicateCalls, OverrideCheck
from interlock.daemon.extension import Extensions
from interlock.daemon.host_notes import Budgets, HostSelfTest
from interlock.daemon.offline_files import PROMPTS
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.daemon.protocol import Call
from interlock.daemon.refusals import Refuser, closes
from interlock.daemon.session_memory import Stops
from interlock.events.decision import Decision
from interlock.events.hook import MAX_TIMEOUT
from interlock.events.names import DRAWN, JUDGED, EventName
from interlock.events.verdict import Vote
from interlock.hosts.host import Host, Reply, State
from interlock.ledger.decision_record import body_of, evidence_of
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.marks import visible_words
from interlock.redaction.redactor import KEYLESS, Redactor

_log: Final = logging.getLogger(__name__)
SELF_TEST: Final = "InterlockSelfTest"
# Where more than an ask may be settled: a session is told something, a turn ends or another one begins.
_TURNS: Final = frozenset(
    {EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT, EventName.STOP, EventName.SUBAGENT_STOP}
)
_UNASKED: Final = PendingAnswer(Reply(), durable=False)  # no hook is bound, so it is not an entry either
Answer = PendingAnswer | Awaitable[PendingAnswer]


class DecisionService:
    """Decides calls; what it decides is pending in the ledger until the server commits it."""

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
        self._before: Final = before  # what a daemon before this one has answered
        self._stops: Final = stops or Stops()
        # A text, compared at every event; and where it leads, for a link into a project is inside it too.
        self._own_home: Final = str(own_home.resolve()) if own_home else None
        self._self_test: Final = self_test
        self._budgets: Final = budgets
        self._redactor: Final = redactor
        self._refuser: Final = Refuser(policies, ledger, self._extensions.withdraw)
        self._answered: Final = DuplicateCalls()
        self._overrides: Final = OverrideCheck()
        self._open_passes = 0  # hooks that failed while the call went on
        self._usable: Loaded | None = None  # found so the last time; most calls are judged by the same policy
        self.watched = False  # whether somebody watches decisions as they are made
        self.events = 0

    @property
    def open_passes(self) -> int:
        """How often something failed and the call went on: the one number to alarm on."""
        return self._open_passes + self._refuser.open_passes

    def receive(self, call: Call) -> Answer:
        """The answer to a call, at once where every hook answers at once, else to be awaited."""
        self.events += 1
        opened = self._intake.open(call)
        if isinstance(opened, RejectedCall):
            return self._refuser.refuse_unopened(opened)
        return self._answered.known(opened.identity) or self._without_hooks(opened) or self._decide(opened)

    def _decide(self, opened: ParsedCall) -> Answer:
        begun = time.perf_counter()
        try:
            if (again := self._before_restart(opened)) is not None:
                return again
            decision = opened.loaded.engine.start(opened.event, budget=self._hook_budget(opened))
        except Exception as error:  # a defect or a broken store must not let a call pass
            return self._refuser.refuse(opened, _defect(opened, error))
        if not isinstance(decision, Decision):
            self._keep(opened)
            return self._start(opened, self._wait(opened, decision, begun))
        seconds = time.perf_counter() - begun
        if decision.vote is Vote.ASK and self._is_held(opened, decision):
            self._keep(opened)
            return self._start(opened, self._hold(opened, decision, seconds))
        return self._answer(opened, decision, seconds)

    def _answer(self, opened: ParsedCall, decision: Decision, seconds: float) -> PendingAnswer:
        """Settle, write for the host, record: what cannot be is not allowed."""
        try:
            decision = self._settle(opened, decision)
            self._sessions.callers.decided(opened.event, decision)
            reply = opened.host.write(opened.event, decision)
            if reply.degraded:
                decision = msgspec.structs.replace(decision, degraded=(*decision.degraded, *reply.degraded))
            summary = self._record(opened, decision, seconds)
            answer = _pending(opened, reply, summary)
        except Exception as error:  # as said above
            return self._refuser.refuse(opened, _defect(opened, error))
        self._answered.remember(answer)
        return answer

    def _settle(self, opened: ParsedCall, decision: Decision) -> Decision:
        """The decision with its ask answered, and with what is said as a session or a turn begins or ends."""
        if decision.vote is Vote.ASK:
            settler = self._extensions.settler
            decision = settler.settle(opened, decision) if settler else _unanswered(opened, decision)
        if opened.event.name not in _TURNS:
            return decision
        if opened.event.name == EventName.SESSION_START:
            decision = self._greeting(opened, decision)
        decision = self._extensions.at_turn(opened, decision)
        return self._stops.settled(opened.event, decision, lambda: self._most_rounds(opened.host))

    def _record(self, opened: ParsedCall, decision: Decision, seconds: float) -> dict[str, object]:
        """Append the decision and what belongs to it; gives it in a few fields where somebody watches."""
        event, redactor = opened.event, self._redactor
        for recorder in self._extensions.recorders:  # what is not on record does not run
            recorder.before_record(event, decision)
        append = self._ledger.append
        who_where = event.actor, opened.loaded.root
        keep = partial(visible_words, event)  # programs, paths and hosts stand there whatever is taken out
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
            self._note_override(opened)
            for inferred in self._extensions.settler.observed(event) if self._extensions.settler else ():
                append("approval", *who_where, inferred)
        return redactor.value(summary_of(event, decision, entry, body, captured)) if self.watched else {}

    def _without_hooks(self, opened: ParsedCall) -> Answer | None:
        """The answer where no hook is asked: nothing is bound, nothing may be decided, or a host is new."""
        event = opened.event
        if event.tool is not None and event.tool.name == SELF_TEST:
            return self._refuser.refuse(opened, "self-test: denied, as it should be")
        if event.name not in JUDGED:
            if event.name in DRAWN and not _is_bound(opened):
                return _UNASKED
        elif opened.loaded is not self._usable:
            if (why := self._unusable(opened.loaded)) is not None:
                return self._refuser.refuse(opened, why)
            self._usable = opened.loaded
        if self._self_test is not None and event.name == EventName.SESSION_START:
            version = self._self_test.due(opened.host, event)
            if version is not None:
                return self._start(opened, self._greet(self._self_test, opened, version))
        return None

    def _before_restart(self, opened: ParsedCall) -> PendingAnswer | None:
        """The answer to a call that is on record: nothing is decided, counted or recorded once more."""
        recalled = self._before.find(opened.event) if self._before is not None else None
        if recalled is None:
            return None
        if recalled.untold:
            return self._refuser.refuse(opened, recalled.untold)
        event, decision = opened.event, recalled.decision
        self._sessions.callers.decided(event, decision)
        self._overrides.expect(event, decision)
        again = _pending(opened, opened.host.write(event, decision))
        self._answered.remember(again)
        return again

    def _keep(self, opened: ParsedCall) -> None:
        """Make lasting what hooks counted so far: the entry of the decision itself comes later."""
        if self._ledger.joined:
            event = opened.event
            body = {"deed": "hook", "event": event.name, "session_id": event.session_id}
            self._ledger.append("work", event.actor, opened.loaded.root, body)

    def _start(
        self, opened: ParsedCall, work: Coroutine[Any, Any, PendingAnswer]
    ) -> Awaitable[PendingAnswer]:
        """Do something that takes its time; the same call reported meanwhile waits for the same answer."""
        task = asyncio.ensure_future(work)
        self._answered.expect(opened.identity, task)
        return task

    def _unusable(self, loaded: Loaded) -> str | None:
        if not loaded.usable:
            return f"the policy does not load: {loaded.problem}"
        if self._own_home and loaded.root.strip("/") and f"{self._own_home}/".startswith(f"{loaded.root}/"):
            # Whoever may write into the project could rewrite the policy that judges it.
            return f"Interlock's home, `{self._own_home}`, is inside this project; move it out"
        return None

    async def _greet(self, self_test: HostSelfTest, opened: ParsedCall, version: str) -> PendingAnswer:
        """The first session of a host version: the self-test must pass, or the person is told."""
        check = await self_test.try_out(opened.host, version, opened.event.cwd)
        body = {"host": opened.host.name, "version": version, "result": check.state, "detail": check.detail}
        self._ledger.append("self_test", "system", opened.loaded.root, body)
        if check.state is not State.OK:
            why = f"Interlock may not guard {opened.host.name} {version}: {check.detail}"
            notice = "\n".join(filter(None, (opened.loaded.notice, f"{why}; run `interlock doctor`")))
            loaded = msgspec.structs.replace(opened.loaded, notice=notice)
            opened = msgspec.structs.replace(opened, loaded=loaded)
        return await self._wait(opened, self._decide_later(opened), time.perf_counter())

    async def _decide_later(self, opened: ParsedCall) -> Decision:
        return await opened.loaded.engine.decide(opened.event, budget=self._hook_budget(opened))

    async def _wait(self, opened: ParsedCall, rest: Awaitable[Decision], begun: float) -> PendingAnswer:
        """Let the hooks finish that take their time."""
        try:
            decision = await rest
        except Exception as error:  # as above, for hooks that take their time
            return self._refuser.refuse(opened, _defect(opened, error))
        seconds = time.perf_counter() - begun
        if decision.vote is Vote.ASK and self._is_held(opened, decision):
            return await self._hold(opened, decision, seconds)
        return self._answer(opened, decision, seconds)

    def _is_held(self, opened: ParsedCall, decision: Decision) -> bool:
        return self._extensions.settler is not None and self._extensions.settler.holds(opened, decision)

    async def _hold(self, opened: ParsedCall, decision: Decision, seconds: float) -> PendingAnswer:
        """Give a person time to answer, as long as the host waits for us."""
        left = self._budget(opened) - seconds
        try:
            if self._extensions.settler is not None:
                decision = await self._extensions.settler.hold(opened, decision, left)
        except Exception as error:  # what cannot be settled is not allowed
            return self._refuser.refuse(opened, _defect(opened, error))
        return self._answer(opened, decision, seconds)

    def _hook_budget(self, opened: ParsedCall) -> float:
        """The seconds all hooks have together; read only where some take their time."""
        waits = opened.loaded.engine.waits_at(opened.event.name)
        return self._budget(opened) if waits else MAX_TIMEOUT

    def _budget(self, opened: ParsedCall) -> float:
        host, name = opened.host, opened.event.name
        return self._budgets.of(host, name) if self._budgets else host.budget(name)

    def _most_rounds(self, host: Host) -> int:
        return self._budgets.rounds(host) if self._budgets else host.most_rounds

    def _greeting(self, opened: ParsedCall, decision: Decision) -> Decision:
        """A person hears at the start of a session why everything is denied, or what waits for trust."""
        why = self._ledger.closed()
        told = [] if why is None else [f"Interlock denies every tool call: {why}"]
        told += [opened.loaded.notice] if opened.loaded.notice else []
        return msgspec.structs.replace(decision, messages=(*decision.messages, *told)) if told else decision

    def _note_override(self, opened: ParsedCall) -> None:
        """Note it where a tool ran with another input than was decided."""
        event = opened.event
        if not self._overrides.overridden(event) or event.tool is None:
            return
        _log.warning("%s ran with another input than was decided", event.tool.name)
        ran = {"tool": event.tool.name, "tool_use_id": event.tool.use_id, "ran": event.tool.input}
        body = {"event": event.name, "session_id": event.session_id, **ran}
        self._ledger.append("overridden", event.actor, opened.loaded.root, body)

    def end_turn(self) -> None:
        """Whatever comes next looks at the policy's files again."""
        self._intake.end_turn()

    def abandon(self, answer: Awaitable[PendingAnswer]) -> None:
        """Nobody takes the answer that is being made; a call held for a person is held no longer."""
        if self._extensions.settler is not None:
            self._extensions.settler.abandon(answer)

    def let_go(self) -> None:
        """The daemon ends: what is held is answered as it stands."""
        if self._extensions.settler is not None:
            self._extensions.settler.let_go()

    def forget(self, answer: PendingAnswer) -> None:
        """A decision that was never recorded must be made again when asked again."""
        self._answered.forget(answer)


def _pending(opened: ParsedCall, reply: Reply, summary: dict[str, object] | None = None) -> PendingAnswer:
    return PendingAnswer(
        reply=reply,
        durable=opened.event.name in JUDGED,
        host=opened.host,
        event=opened.event.name,
        closed=closes(opened) if opened.event.name in PROMPTS else None,
        identity=opened.identity,
        summary=summary or {},
    )


def _unanswered(opened: ParsedCall, decision: Decision) -> Decision:
    """An ask where nobody takes questions: for whoever sits at the host, or else denied."""
    if opened.host.attended(opened.event) and not decision.approvers:
        return decision
    why = f"{decision.reason or 'a person is to be asked'}; nobody can be asked here"
    return msgspec.structs.replace(decision, vote=Vote.DENY, reason=why)


def _is_bound(opened: ParsedCall) -> bool:
    return any(opened.event.name in hook.events for hook in opened.loaded.engine.hooks)


def _defect(opened: ParsedCall, error: Exception) -> str:
    _log.error("no decision for %s", opened.event.name, exc_info=error)
    return f"no decision could be made: {error}; `interlock paths` shows where the log is"
