"""From the bytes of a call to the bytes of its answer: read, decide, settle, write, record."""

from __future__ import annotations

import hashlib
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable
from typing import Final

import msgspec

from interlock.approvals.tickets import Tickets
from interlock.daemon.frame import Call
from interlock.daemon.policies import Loaded, Policies
from interlock.daemon.record import body_of
from interlock.decision import Decision
from interlock.errors import PayloadError
from interlock.event import Event
from interlock.hosts.acting import with_actor
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.host import Host, Reply
from interlock.ledger.writer import LedgerWriter
from interlock.moment import JUDGED, EventName
from interlock.verdict import Vote

_log: Final = logging.getLogger(__name__)
SELF_TEST: Final = "InterlockSelfTest"
_REMEMBERED: Final = 4_096
_ONCE_PER_CALL: Final = frozenset(
    {EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE}
)


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """An answer on its way out."""

    reply: Reply
    refusal: Reply  # sent instead when it cannot be recorded
    durable: bool  # must be on disk before it leaves
    event: str = ""
    summary: dict[str, object] = {}  # for those who watch


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A call that has been read."""

    host: Host
    event: Event
    loaded: Loaded
    start: float


class Decider:
    """Decides calls; what it decides is pending in the ledger until the server commits it."""

    def __init__(self, policies: Policies, ledger: LedgerWriter, tickets: Tickets) -> None:
        self._policies: Final = policies
        self._ledger: Final = ledger
        self._tickets: Final = tickets
        self._decided: Final[OrderedDict[tuple[str, str, str], Judgement]] = OrderedDict()
        self.events = 0

    def receive(self, call: Call) -> Judgement | Awaitable[Judgement]:
        """Answer at once where every hook does, else give something to await."""
        self.events += 1
        host = HOSTS.get(call.host)
        if host is None:
            return self._unknown_host(call)
        try:
            event = host.read(call.payload, call.env)
        except PayloadError as error:
            return self._unreadable(host, call, error)
        loaded = self._policies.for_folder(event.cwd)
        event = with_actor(event, loaded.actors, call.env.get("INTERLOCK_ACTOR"))
        return self._judge(Opened(host=host, event=event, loaded=loaded, start=time.perf_counter()))

    def _judge(self, opened: Opened) -> Judgement | Awaitable[Judgement]:
        event, loaded = opened.event, opened.loaded
        known = self._decided.get(_identity(event))
        if known is not None:
            return known
        if event.tool is not None and event.tool.name == SELF_TEST:
            return self._refused(opened, "self-test: denied as it should be")
        if not loaded.usable and event.name in JUDGED:
            return self._refused(opened, f"the policy cannot be used: {loaded.problem}")
        try:
            decision = loaded.engine.decide_now(event)
            return self._wait(opened) if decision is None else self._finish(opened, decision)
        except Exception as error:  # noqa: BLE001 - a defect or a broken store must not let a call pass
            return self._failed(opened, error)

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
        reply = host.write(event, decision)
        if reply.degraded:
            decision = msgspec.structs.replace(decision, degraded=(*decision.degraded, *reply.degraded))
        body = body_of(event, decision, seconds=time.perf_counter() - opened.start)
        self._ledger.append("decision", event.actor, opened.loaded.root, body)
        judgement = Judgement(
            reply=reply,
            refusal=host.refuse(event.name, "the decision could not be recorded"),
            durable=event.name in JUDGED,
            event=event.name,
            summary=_summary(event, decision),
        )
        self._remember(event, judgement)
        return judgement

    def _failed(self, opened: Opened, error: Exception) -> Judgement:
        _log.error("no decision for %s", opened.event.name, exc_info=error)
        return self._refused(opened, f"no decision could be made: {error}; see `interlock paths` for the log")

    def _refused(self, opened: Opened, reason: str) -> Judgement:
        event = opened.event
        reply = opened.host.refuse(event.name, reason)
        body = {"event": event.name, "session_id": event.session_id, "decision": "deny", "reason": reason}
        self._ledger.append("refused", event.actor, opened.loaded.root, body)
        return Judgement(reply=reply, refusal=reply, durable=True, event=event.name)

    def _unreadable(self, host: Host, call: Call, error: PayloadError) -> Judgement:
        digest = hashlib.sha256(call.payload).hexdigest()
        body = {"kind": error.kind, "reason": str(error), "bytes": len(call.payload), "sha256": digest}
        self._ledger.append("refused", "", "", {"host": host.name, "decision": "deny", **body})
        reply = host.refuse(error.event_name, f"the event could not be read: {error}")
        return Judgement(reply=reply, refusal=reply, durable=True)

    def _unknown_host(self, call: Call) -> Judgement:
        names = ", ".join(HOSTS)
        text = f"Interlock knows no host `{call.host}` ({names}); run `interlock install` again"
        reply = Reply(exit_code=2, stderr=text.encode())
        self._ledger.append("refused", "", "", {"decision": "deny", "reason": text})
        return Judgement(reply=reply, refusal=reply, durable=True)

    def _remember(self, event: Event, judgement: Judgement) -> None:
        """A host with Interlock installed twice reports everything twice; the second counts for nothing."""
        identity = _identity(event)
        if identity[2]:
            self._decided[identity] = judgement
            while len(self._decided) > _REMEMBERED:
                self._decided.popitem(last=False)

    def forget(self, judgement: Judgement) -> None:
        """A decision that was never recorded must be made again when asked again."""
        for identity in [key for key, known in self._decided.items() if known is judgement]:
            del self._decided[identity]


def _identity(event: Event) -> tuple[str, str, str]:
    use_id = event.tool.use_id if event.tool and event.name in _ONCE_PER_CALL else None
    return (event.session_id, event.name, use_id or "")


def _summary(event: Event, decision: Decision) -> dict[str, object]:
    return {
        "ts": time.time(),
        "session_id": event.session_id,
        "event": event.name,
        "actor": event.actor,
        "tool": event.tool.name if event.tool else None,
        "input": event.tool.input if event.tool else None,
        "decision": decision.outcome,
        "reason": decision.reason,
        "decided_by": decision.decided_by,
    }
