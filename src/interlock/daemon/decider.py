"""From the bytes of a call to the bytes of its answer: read, decide, settle, write, record."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

import msgspec

from interlock.approvals.tickets import Tickets
from interlock.daemon.answered import Answered
from interlock.daemon.carried_out import CarriedOut
from interlock.daemon.first_sight import FirstSight
from interlock.daemon.frame import Call
from interlock.daemon.judgement import Judgement, Opened, identity_of, summary_of
from interlock.daemon.policies import Loaded, Policies
from interlock.daemon.prompts_mark import PROMPTS, judges_prompts
from interlock.daemon.record import body_of
from interlock.daemon.stops import let_be
from interlock.decision import Decision
from interlock.errors import PayloadError
from interlock.event import Event
from interlock.hosts.acting import with_actor
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.check import State
from interlock.hosts.host import Host, Reply
from interlock.ledger.writer import LedgerWriter
from interlock.moment import JUDGED, EventName
from interlock.verdict import Vote

_log: Final = logging.getLogger(__name__)
SELF_TEST: Final = "InterlockSelfTest"


class Decider:
    """Decides calls; what it decides is pending in the ledger until the server commits it."""

    def __init__(
        self,
        policies: Policies,
        ledger: LedgerWriter,
        tickets: Tickets,
        *,
        own_home: Path | None = None,
        first_sight: FirstSight | None = None,
    ) -> None:
        self._policies: Final = policies
        self._ledger: Final = ledger
        self._tickets: Final = tickets
        # A text, compared at every event; and where it leads, for a link into a project is inside it too.
        self._own_home: Final = str(own_home.resolve()) if own_home else None
        self._first_sight: Final = first_sight
        self._answered: Final = Answered()
        self._carried_out: Final = CarriedOut()
        self._policy: Final[dict[tuple[str, str | None], Loaded]] = {}
        self.watched = False  # whether anybody wants to hear of decisions as they are made
        self.events = 0
        self.open_passes = 0  # what failed and was let pass: the one number to alarm on

    def receive(self, call: Call) -> Judgement | Awaitable[Judgement]:
        """Answer at once where every hook does, else give something to await."""
        self.events += 1
        host = HOSTS.get(call.host)
        if host is None:
            return self._unknown_host(call)
        try:
            return self._open(host, call)
        except PayloadError as error:
            return self._unreadable(host, call, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, a call nobody could read must not pass
            _log.error("a call could not be read", exc_info=error)
            return self._unread(host, call, {"kind": "defect", "reason": repr(error)}, event_name="")

    def _open(self, host: Host, call: Call) -> Judgement | Awaitable[Judgement]:
        event = host.read(call.payload, call.env)
        loaded = self._policy_of(event, call.env.get("CLAUDE_PROJECT_DIR"))
        event = with_actor(event, loaded.actors, call.env.get("INTERLOCK_ACTOR"))
        identity = identity_of(event, call.payload)
        start = time.perf_counter()
        return self._judge(Opened(host=host, event=event, loaded=loaded, identity=identity, start=start))

    def _policy_of(self, event: Event, project: str | None) -> Loaded:
        """The policy in force; events that share a commit share the look at its files."""
        where = (event.cwd, project)
        loaded = self._policy.get(where)
        if loaded is None:
            loaded = self._policies.for_folder(*where)
            if event.name in JUDGED:  # its commit ends this turn; after an observed one that may be long
                self._policy[where] = loaded
        return loaded

    def end_turn(self) -> None:
        """Whatever comes next looks at the policy's files again."""
        self._policy.clear()

    def _judge(self, opened: Opened) -> Judgement | Awaitable[Judgement]:
        event, loaded = opened.event, opened.loaded
        known = self._answered.known(opened.identity)
        if known is not None:
            return known
        if event.tool is not None and event.tool.name == SELF_TEST:
            return self._refused(opened, "self-test: denied as it should be")
        unusable = self._unusable(loaded)
        if unusable and event.name in JUDGED:
            return self._refused(opened, unusable)
        version = self._first_sight.due(opened.host, event) if self._first_sight else None
        if version is not None:
            return self._greet(opened, version)
        try:
            decision = loaded.engine.decide_now(event)
            return self._begin(opened) if decision is None else self._finish(opened, decision)
        except Exception as error:  # noqa: BLE001 - a defect or a broken store must not let a call pass
            return self._failed(opened, error)

    def _begin(self, opened: Opened) -> Awaitable[Judgement]:
        """Let the hooks run; the same call reported meanwhile waits for the same answer."""
        task = asyncio.ensure_future(self._wait(opened))
        self._answered.expect(opened.identity, task)
        return task

    def _unusable(self, loaded: Loaded) -> str | None:
        if not loaded.usable:
            return f"the policy cannot be used: {loaded.problem}"
        if loaded.root.strip("/") and self._own_home and f"{self._own_home}/".startswith(f"{loaded.root}/"):
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

    async def _wait(self, opened: Opened) -> Judgement:
        budget = opened.host.budget(opened.event.name)
        try:
            return self._finish(opened, await opened.loaded.engine.decide(opened.event, budget=budget))
        except Exception as error:  # noqa: BLE001 - as above, for hooks that take their time
            return self._failed(opened, error)

    def _finish(self, opened: Opened, decision: Decision) -> Judgement:
        event, host = opened.event, opened.host
        if decision.vote is Vote.ASK and not host.attended(event):
            decision = self._tickets.settle(event, decision)
        decision = _told(opened, let_be(event, decision))
        reply = host.write(event, decision)
        if reply.degraded:
            decision = msgspec.structs.replace(decision, degraded=(*decision.degraded, *reply.degraded))
        body = body_of(event, decision, seconds=time.perf_counter() - opened.start)
        self._ledger.append("decision", event.actor, opened.loaded.root, body)
        self.open_passes += decision.open_passes
        self._compare(opened, decision)
        judgement = Judgement(
            reply=reply,
            host=host,
            durable=event.name in JUDGED,
            event=event.name,
            closed=_closes(opened),
            identity=opened.identity,
            summary=summary_of(event, decision) if self.watched else {},
        )
        self._answered.remember(judgement)
        return judgement

    def _compare(self, opened: Opened, decision: Decision) -> None:
        event = opened.event
        self._carried_out.expect(event, decision)
        if not self._carried_out.overridden(event) or event.tool is None:
            return
        _log.warning("%s ran with another input than was decided", event.tool.name)
        ran = {"tool": event.tool.name, "tool_use_id": event.tool.use_id, "ran": event.tool.input}
        body = {"event": event.name, "session_id": event.session_id, **ran}
        self._ledger.append("overridden", event.actor, opened.loaded.root, body)

    def _failed(self, opened: Opened, error: Exception) -> Judgement:
        _log.error("no decision for %s", opened.event.name, exc_info=error)
        return self._refused(opened, f"no decision could be made: {error}; see `interlock paths` for the log")

    def _refused(self, opened: Opened, reason: str) -> Judgement:
        """Answer without a decision, closed or open by the moment, and say in the ledger which it was."""
        event = opened.event
        reply = opened.host.refuse(event.name, reason, closed=_closes(opened))
        passed = reply == Reply()
        self.open_passes += passed
        body = {
            "event": event.name,
            "session_id": event.session_id,
            "tool": event.tool.name if event.tool else None,
            "tool_use_id": event.tool.use_id if event.tool else None,
            "decision": "allow" if passed else "deny",
            "reason": reason,
        }
        self._ledger.append("gap" if passed else "refused", event.actor, opened.loaded.root, body)
        return Judgement(reply=reply, durable=True, event=event.name, identity=opened.identity)

    def _unreadable(self, host: Host, call: Call, error: PayloadError) -> Judgement:
        why = {"kind": error.kind, "reason": str(error)}
        return self._unread(host, call, why, event_name=error.event_name)

    def _unread(self, host: Host, call: Call, why: dict[str, str], *, event_name: str) -> Judgement:
        # Which folder it came from is not known, so the policy that holds everywhere says about prompts.
        closed = _holds_prompts(self._policies.for_folder("")) if event_name in PROMPTS else None
        reply = host.refuse(event_name, f"the event could not be read: {why['reason']}", closed=closed)
        passed = reply == Reply()
        self.open_passes += passed
        body = {
            "host": host.name,
            "event": event_name,
            "decision": "allow" if passed else "deny",
            **why,
            "bytes": len(call.payload),
            "sha256": hashlib.sha256(call.payload).hexdigest(),
        }
        self._ledger.append("gap" if passed else "refused", "", "", body)
        return Judgement(reply=reply, durable=True, event=event_name)

    def _unknown_host(self, call: Call) -> Judgement:
        names = ", ".join(HOSTS)
        text = f"Interlock knows no host `{call.host}` ({names}); run `interlock install` again"
        reply = Reply(exit_code=2, stderr=text.encode())
        self._ledger.append("refused", "", "", {"decision": "deny", "reason": text})
        return Judgement(reply=reply, durable=True)

    def forget(self, judgement: Judgement) -> None:
        """A decision that was never recorded must be made again when asked again."""
        self._answered.forget(judgement)


def _closes(opened: Opened) -> bool | None:
    """A prompt is held back only where a hook judges prompts; elsewhere the moment says."""
    return _holds_prompts(opened.loaded) if opened.event.name in PROMPTS else None


def _holds_prompts(loaded: Loaded) -> bool:
    return not loaded.usable or judges_prompts(loaded.engine.hooks)


def _told(opened: Opened, decision: Decision) -> Decision:
    """At the start of a session the person hears that a project's policy waits for trust."""
    if opened.event.name != EventName.SESSION_START or not opened.loaded.notice:
        return decision
    return msgspec.structs.replace(decision, messages=(*decision.messages, opened.loaded.notice))
