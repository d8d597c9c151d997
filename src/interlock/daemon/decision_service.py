"""From the bytes of a call to the bytes of its answer: read, decide, settle, write, record."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.daemon.answer import Decided, Identity, Judgement, Opened, Unopened, summary_of
from interlock.daemon.call_intake import Opener
from interlock.daemon.calls_before_restart import AnsweredBefore
from interlock.daemon.decision_record import body_of
from interlock.daemon.duplicate_calls import Answered
from interlock.daemon.evidence_record import evidence_of
from interlock.daemon.host_self_test import FirstSight
from interlock.daemon.override_check import CarriedOut
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.daemon.protocol import Call
from interlock.daemon.refusals import Refuser, closes
from interlock.daemon.session_context import Working
from interlock.daemon.stop_limit import Stops
from interlock.daemon.time_budget import Budgets
from interlock.engine.decision_builder import Tally
from interlock.engine.engine import Unfinished
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import DRAWN, JUDGED, EventName
from interlock.events.verdict import Vote
from interlock.features.approvals.settlement import Asking
from interlock.features.receipts.service import CallDesk
from interlock.hosts.check import State
from interlock.hosts.host import Host, Reply
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.redactor import KEYLESS, Redactor
from interlock.redaction.visible import visible_words

_log: Final = logging.getLogger(__name__)
SELF_TEST: Final = "InterlockSelfTest"
_START: Final = EventName.SESSION_START
_PRE, _ASK = EventName.PRE_TOOL_USE, Vote.ASK  # found sooner than members of a class
# Where more than an ask may be settled: a session is told something, a turn ends or another one begins.
_SETTLED: Final = frozenset(
    {EventName.SESSION_START, EventName.USER_PROMPT_SUBMIT, EventName.STOP, EventName.SUBAGENT_STOP}
)

_UNASKED: Final = Judgement(Reply(), durable=False)  # no hook is bound, so it is no entry either
Answer = Judgement | Awaitable[Judgement]
Taken = Opened | Unopened
# What deciding gives: a decision, why there is none, or an answer that was or is being made.
Found = Decided | str | Answer


class Decider:
    """Decides calls; what it decides is pending in the ledger until the server commits it."""

    def __init__(
        self,
        policies: Policies,
        ledger: LedgerWriter,
        asking: Asking,
        *,
        own_home: Path | None = None,
        first_sight: FirstSight | None = None,
        budgets: Budgets | None = None,
        working: Working | None = None,
        redactor: Redactor = KEYLESS,
        calls: CallDesk | None = None,
        stops: Stops | None = None,
        edges: Callable[[Event, Decision], Decision] = lambda _, decision: decision,
        before: AnsweredBefore | None = None,
    ) -> None:
        self._before: Final = before  # what a daemon before this one has answered
        self._stops: Final = stops or Stops()
        self._edges: Final = edges
        self._ledger: Final = ledger
        self._asking: Final = asking
        # A text, compared at every event; and where it leads, for a link into a project is inside it too.
        self._own_home: Final = str(own_home.resolve()) if own_home else None
        self._first_sight: Final = first_sight
        self._budgets: Final = budgets
        self._redactor: Final = redactor
        self._opener: Final = Opener(policies, working)
        self._callers: Final = working.callers if working else None
        self._calls: Final = calls
        self._refuser: Final = Refuser(policies, ledger, calls.book.withdraw if calls else None)
        self._answered: Final = Answered()
        self._carried_out: Final = CarriedOut()
        self._open_passes = 0  # hooks that failed and were let pass
        self._usable: Loaded | None = None  # found so the last time; most calls are judged by the same policy
        self.watched = False  # whether anybody wants to hear of decisions as they are made
        self.events = 0

    @property
    def open_passes(self) -> int:
        """What failed and was let pass: the one number to alarm on."""
        return self._open_passes + self._refuser.open_passes

    def receive_all(self, calls: Sequence[Call]) -> list[Answer]:
        """Answer the calls of one turn in their order: at once where every hook does, else to be awaited.

        One step for all of them, then the next: the same code over many calls takes two thirds of the time
        that all code over one call after the other takes. Entries are appended in the last step only, so
        that they stand in the order of arrival.
        """
        self.events += len(calls)
        answers: list[Answer] = []
        for group in _apart([self._opener.open(call) for call in calls]):
            begun, share = _begun(group)
            found = [self._decide(taken, tally, share) for taken, tally in zip(group, begun, strict=True)]
            answers += [self._settle(taken, one) for taken, one in zip(group, found, strict=True)]
        return answers

    def end_turn(self) -> None:
        """Whatever comes next looks at the policy's files again."""
        self._opener.end_turn()

    def _decide(self, taken: Taken, begun: Tally | None, before: float) -> Found:
        if isinstance(taken, Unopened):
            return taken.reason
        if (found := self._answered.known(taken.identity) or self._objection(taken)) is not None:
            return found
        if self._first_sight is not None and taken.event.name == _START:
            version = self._first_sight.due(taken.host, taken.event)
            if version is not None:
                return self._greet(taken, version)
        start = time.perf_counter() - before
        try:
            if self._before is not None and (recalled := self._before.find(taken.event)) is not None:
                return recalled.untold or self._said_again(taken, recalled.decision)
            decision = taken.loaded.engine.decide_now(taken.event, begun=begun)
        except Exception as error:  # noqa: BLE001 - a defect or a broken store must not let a call pass
            return _defect(taken, error)
        seconds = time.perf_counter() - start
        return Decided(decision, seconds) if isinstance(decision, Decision) else self._begin(taken, decision)

    def _said_again(self, opened: Opened, decision: Decision) -> Judgement:
        """The answer to a call that is on record: nothing is decided, counted or recorded once more."""
        event, host = opened.event, opened.host
        if self._callers is not None:
            self._callers.decided(event, decision)
        self._carried_out.expect(event, decision)
        reply = host.write(event, decision)
        again = Judgement(reply, event.name in JUDGED, host, event.name, closes(opened), opened.identity)
        self._answered.remember(again)
        return again

    def _settle(self, taken: Taken, found: Found) -> Answer:
        """Write and record what was found."""
        if isinstance(taken, Unopened):
            return self._refuser.refuse_unopened(taken)
        if isinstance(found, Decided):
            if found.decision.vote is _ASK and self._asking.holds(taken, found.decision):
                self._keep(taken)
                return self._start(taken, self._hold(taken, found))
            return self._finish(taken, found.decision, found.seconds)
        return self._refuser.refuse(taken, found) if isinstance(found, str) else found

    def _keep(self, opened: Opened) -> None:
        """Make lasting what hooks counted: the decision's own entry comes when a person has answered."""
        if self._ledger.joined:
            event = opened.event
            body = {"deed": "hook", "event": event.name, "session_id": event.session_id}
            self._ledger.append("work", event.actor, opened.loaded.root, body)

    def _begin(self, opened: Opened, rest: Unfinished | None) -> Awaitable[Judgement]:
        """Let the hooks run, or what is left of them."""
        return self._start(opened, self._wait(opened, rest))

    def _start(self, opened: Opened, work: Coroutine[Any, Any, Judgement]) -> Awaitable[Judgement]:
        """Do something that takes its time; the same call reported meanwhile waits for the same answer."""
        task = asyncio.ensure_future(work)
        self._answered.expect(opened.identity, task)
        return task

    def _objection(self, opened: Opened) -> str | Judgement | None:
        """Why nothing is decided, or the answer where there is nothing to decide."""
        event = opened.event
        if event.tool is not None and event.tool.name == SELF_TEST:
            return "self-test: denied as it should be"
        if event.name not in JUDGED:
            return _UNASKED if event.name in DRAWN and not _bound(opened) else None
        if opened.loaded is self._usable:
            return None
        if (why := self._unusable(opened.loaded)) is None:
            self._usable = opened.loaded
        return why

    def _unusable(self, loaded: Loaded) -> str | None:
        if not loaded.usable:
            return f"the policy cannot be used: {loaded.problem}"
        if self._own_home and loaded.root.strip("/") and f"{self._own_home}/".startswith(f"{loaded.root}/"):
            # Whoever may write into the project could rewrite the policy that judges it.
            return f"the home of Interlock, `{self._own_home}`, lies inside this project; move it out"
        return None

    async def _greet(self, opened: Opened, version: str) -> Judgement:
        """The first session of a host version: the self-test must pass, or the person is told."""
        if self._first_sight is None:
            return await self._wait(opened)
        check = await self._first_sight.try_out(opened.host, version, opened.event.cwd)
        body = {"host": opened.host.name, "version": version, "result": check.state, "detail": check.detail}
        self._ledger.append("self_test", "system", opened.loaded.root, body)
        if check.state is State.OK:
            return await self._wait(opened)
        told = f"Interlock may not guard {opened.host.name} {version}: {check.detail}; run `interlock doctor`"
        notice = "\n".join(filter(None, (opened.loaded.notice, told)))
        loaded = msgspec.structs.replace(opened.loaded, notice=notice)
        return await self._wait(msgspec.structs.replace(opened, loaded=loaded))

    async def _wait(self, opened: Opened, rest: Unfinished | None = None) -> Judgement:
        start = time.perf_counter()
        try:
            budget = self._budget(opened)
            engine = opened.loaded.engine
            decision = await (rest(budget) if rest else engine.decide(opened.event, budget=budget))
        except Exception as error:  # noqa: BLE001 - as above, for hooks that take their time
            return self._refuser.refuse(opened, _defect(opened, error))
        decided = Decided(decision, time.perf_counter() - start)
        if self._asking.holds(opened, decision):
            return await self._hold(opened, decided)
        return self._finish(opened, decision, decided.seconds)

    def _budget(self, opened: Opened) -> float:
        host, name = opened.host, opened.event.name
        return self._budgets.of(host, name) if self._budgets else host.budget(name)

    def _most_rounds(self, host: Host) -> int:
        return self._budgets.rounds(host) if self._budgets else host.most_rounds

    async def _hold(self, opened: Opened, decided: Decided) -> Judgement:
        """Give a person time to answer, as long as the host waits for us."""
        left = self._budget(opened) - decided.seconds
        try:
            decision = await self._asking.held(opened, decided.decision, left)
        except Exception as error:  # noqa: BLE001 - what cannot be settled is not allowed
            return self._refuser.refuse(opened, _defect(opened, error))
        return self._finish(opened, decision, decided.seconds)

    def _finish(self, opened: Opened, decision: Decision, seconds: float) -> Judgement:
        try:
            judgement = self._written(opened, decision, seconds)
        except Exception as error:  # noqa: BLE001 - what cannot be settled, said or recorded is not allowed
            return self._refuser.refuse(opened, _defect(opened, error))
        self._answered.remember(judgement)
        return judgement

    def _written(self, opened: Opened, decision: Decision, seconds: float) -> Judgement:
        event, host = opened.event, opened.host
        if decision.vote is _ASK or event.name in _SETTLED:
            decision = self._settled(opened, decision)
        if self._callers is not None:
            self._callers.decided(event, decision)
        reply = host.write(event, decision)
        if reply.degraded:
            decision = msgspec.structs.replace(decision, degraded=(*decision.degraded, *reply.degraded))
        if self._calls is not None:  # what is not on record does not run
            self._calls.book.settle(event, decision)
        redactor, record, actor, root = self._redactor, self._ledger.append, event.actor, opened.loaded.root
        keep = partial(visible_words, event)  # programs, paths and hosts stand there whatever is taken out
        body = body_of(event, decision, seconds, redactor)
        entry = record("decision", actor, root, body, keep=keep)
        captured = [
            (evidence.hook, record("evidence", actor, root, evidence, keep=keep))
            for evidence in (evidence_of(event, decision, redactor.text) if decision.evidence else ())
        ]
        self._open_passes += decision.open_passes
        if event.name == _PRE:
            self._carried_out.expect(event, decision)
        else:
            self._compare(opened)
        for inferred in self._asking.inferred(event):
            record("approval", actor, root, inferred)
        summary = redactor.value(summary_of(event, decision, entry, body, captured)) if self.watched else {}
        durable = event.name in JUDGED
        return Judgement(reply, durable, host, event.name, closes(opened), opened.identity, summary)

    def _settled(self, opened: Opened, decision: Decision) -> Decision:
        """The decision with its ask answered, and with what is said as a session or a turn begins or ends."""
        event, host = opened.event, opened.host
        decision = self._asking.told(opened, self._asking.settled(opened, decision))
        if event.name == _START and (why := self._ledger.closed()) is not None:
            told = f"Interlock denies every tool call: {why}"
            decision = msgspec.structs.replace(decision, messages=(*decision.messages, told))
        decision = self._edges(event, decision)
        decision = _told(opened, self._stops.settled(event, decision, lambda: self._most_rounds(host)))
        return decision if self._calls is None else self._calls.told(opened, decision)

    def _compare(self, opened: Opened) -> None:
        """Note it where a tool ran with another input than was decided."""
        event = opened.event
        if not self._carried_out.overridden(event) or event.tool is None:
            return
        _log.warning("%s ran with another input than was decided", event.tool.name)
        ran = {"tool": event.tool.name, "tool_use_id": event.tool.use_id, "ran": event.tool.input}
        body = {"event": event.name, "session_id": event.session_id, **ran}
        self._ledger.append("overridden", event.actor, opened.loaded.root, body)

    def abandon(self, answer: Awaitable[Judgement]) -> None:
        """Nobody takes the answer that is being made; a call held for a person is held no longer."""
        self._asking.abandon(answer)

    def let_go(self) -> None:
        """The daemon ends: what is held is answered as it stands."""
        self._asking.let_go()

    def forget(self, judgement: Judgement) -> None:
        """A decision that was never recorded must be made again when asked again."""
        self._answered.forget(judgement)


def _apart(taken: list[Taken]) -> Iterable[list[Taken]]:
    """The calls in groups that hold none twice: the second finds the first one's answer."""
    named = [one.identity for one in taken if isinstance(one, Opened) and one.identity[2]]
    return [taken] if len(named) == len(set(named)) else _parted(taken)


def _parted(taken: Sequence[Taken]) -> Iterator[list[Taken]]:
    group: list[Taken] = []
    names: set[Identity] = set()
    for one in taken:
        name = one.identity if isinstance(one, Opened) and one.identity[2] else None
        if name in names:
            yield group
            group, names = [], set()
        if name is not None:
            names.add(name)
        group.append(one)
    yield group


def _begun(group: Sequence[Taken]) -> tuple[list[Tally | None], float]:
    """The calls of one turn, all read and then all matched before any is decided; each one's seconds."""
    if len(group) <= 1:
        return [None] * len(group), 0.0
    start = time.perf_counter()
    begun = [_read(one) if isinstance(one, Opened) else None for one in group]
    for place, tally in enumerate(begun):
        if tally is not None:
            try:
                tally.view.look()
            except Exception:  # noqa: BLE001 - as below
                begun[place] = None
    return begun, (time.perf_counter() - start) / len(group)


def _read(opened: Opened) -> Tally | None:
    try:
        return opened.loaded.engine.begin(opened.event)
    except Exception:  # noqa: BLE001 - whatever it is, it comes up again where the call is decided
        return None


def _bound(opened: Opened) -> bool:
    return any(opened.event.name in hook.events for hook in opened.loaded.engine.hooks)


def _defect(opened: Opened, error: Exception) -> str:
    _log.error("no decision for %s", opened.event.name, exc_info=error)
    return f"no decision could be made: {error}; see `interlock paths` for the log"


def _told(opened: Opened, decision: Decision) -> Decision:
    """At the start of a session the person hears that a project's policy waits for trust."""
    if opened.event.name != EventName.SESSION_START or not opened.loaded.notice:
        return decision
    return msgspec.structs.replace(decision, messages=(*decision.messages, opened.loaded.notice))
