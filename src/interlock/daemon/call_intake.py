"""Parses a call: what it is, who makes it and where; refuses the ones that cannot be parsed or decided."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from interlock.daemon.extension import Extensions
from interlock.daemon.offline_files import PROMPTS, judges_prompts
from interlock.daemon.policy_loader import Loaded, Policies
from interlock.daemon.protocol import Call
from interlock.errors import PayloadError
from interlock.events.actor import ActorMap
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import JUDGED, EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import OWN
from interlock.hosts.all_hosts import HOSTS
from interlock.hosts.host import Host, Reply
from interlock.ledger.decision_record import DecisionRecord, TraceRecord
from interlock.ledger.entry import Entry
from interlock.ledger.writer import LedgerWriter

_log: Final = logging.getLogger(__name__)
_ONCE_PER_CALL: Final = frozenset(
    {EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE}
)

# Session, event, the host's id of the call (empty where it has none), and the hash of what was reported.
Identity = tuple[str, str, str, int]
NOBODY: Final[Identity] = ("", "", "", 0)


class PendingAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer that waits to be sent."""

    reply: Reply
    durable: bool  # must be on disk before it leaves
    host: Host | None = None  # writes the refusal if recording fails; None: the reply stands
    event: str = ""
    closed: bool | None = None  # whether the call is denied if recording fails; None: the event decides
    identity: Identity = NOBODY
    summary: dict[str, object] = {}  # for clients that watch

    def refusal(self, why: str) -> Reply:
        """The reply to send instead when the decision cannot be recorded."""
        if self.host is None:
            return self.reply
        return self.host.refuse(self.event, f"the decision could not be recorded: {why}", closed=self.closed)

    @property
    def about(self) -> dict[str, object]:
        """Names the call in the body of an entry."""
        session_id, _, use_id, _ = self.identity
        return {"event": self.event, "session_id": session_id, "tool_use_id": use_id}


class ParsedCall(msgspec.Struct, frozen=True, gc=False):
    host: Host
    event: Event
    loaded: Loaded
    identity: Identity


class RejectedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that could not be parsed, and why."""

    host: Host | None  # None: it names an unknown host
    call: Call
    reason: str
    kind: str = ""
    event_name: str = ""  # empty if the call broke off before it


def identity_of(event: Event, payload: bytes) -> Identity:
    """Identifies a call; the hash is part of it, or a reused id would get another call's answer."""
    use_id = event.tool.use_id if event.tool and event.name in _ONCE_PER_CALL else None
    return (event.session_id, event.name, use_id or "", hash(payload))


def summary_of(
    event: Event,
    decision: Decision,
    entry: Entry,
    body: DecisionRecord,
    captured: Sequence[tuple[str, Entry]] = (),
) -> dict[str, object]:
    """A decision in a few fields, for clients that watch; `captured` holds the evidence of each hook."""
    return {
        "id": entry.id,
        "ts": time.time(),
        "session_id": event.session_id,
        "event": event.name,
        "actor": event.actor,
        "tool": event.tool.name if event.tool else None,
        "input": event.tool.input if event.tool else None,
        "prompt": event.prompt or None,
        "decision": decision.outcome,
        "reason": decision.reason,
        "decided_by": decision.decided_by,
        "approval": decision.approval,
        "tool_use_id": (event.tool.use_id or None) if event.tool else None,
        "trace": [_summarize(row) for row in body.trace],
        "evidence": [{"hook": hook, "seq": one.seq, "id": one.id} for hook, one in captured],
    }


def _summarize(row: TraceRecord) -> dict[str, object]:
    """What one hook did, without its texts."""
    return {
        "hook": row.hook,
        "vote": row.vote,
        "outcome": row.outcome,
        "shadow": row.shadow,
        "rejudged": row.rejudged,
        "passed_open": row.passed_open,
        "changed_input": row.updated_input is not None,
        "gave": row.gave,
    }


_MOST_CALLS: Final = 1_024
_KEPT_EXTRA: Final = ("entrypoint",)  # tells whether a person is present


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """A call of one of our tools, without its arguments."""

    event: Event  # who and where, without the tool
    digest: str  # of the tool and its input


class Callers:
    """Remembers who called one of our tools, from the host's report until our tool server receives the call.

    A tool server runs once per session and cannot see sub-agents; the report says which one calls.
    """

    def __init__(self) -> None:
        self._calls: Final[dict[tuple[str, str], Reported]] = {}

    def decided(self, event: Event, decision: Decision) -> None:
        """Remember an allowed call of one of our tools, with the input it will have."""
        tool = event.tool
        if tool is None or not tool.name.startswith(OWN):
            return
        if event.name != EventName.PRE_TOOL_USE or not tool.use_id or decision.denied:
            return
        extra = {name: event.extra[name] for name in _KEPT_EXTRA if name in event.extra}
        lean = msgspec.structs.replace(event, tool=None, extra=extra)
        given = tool.input if decision.updated_input is None else decision.updated_input
        digest = _call_digest(tool.name.removeprefix(OWN), given)
        self._calls[event.session_id, tool.use_id] = Reported(event=lean, digest=digest)
        if len(self._calls) > _MOST_CALLS:
            del self._calls[next(iter(self._calls))]

    def take(self, session: str | None, use_id: object, tool: str, arguments: JsonObject) -> Event | None:
        """Who made exactly this call, once; None for an unknown call."""
        if session is None or not isinstance(use_id, str):
            return None
        found = self._calls.get((session, use_id))
        if found is None or found.digest != _call_digest(tool, arguments):
            return None
        del self._calls[session, use_id]
        return found.event


def _call_digest(tool: str, arguments: JsonObject) -> str:
    return hashlib.sha256(msgspec.json.encode([tool, arguments], order="sorted")).hexdigest()


_KIND_UNKNOWN: Final = "subagent"


def with_actor(event: Event, actors: ActorMap, chosen: str | None = None) -> Event:
    """The event with its actor; a sub-agent also has the main agent as its parent."""
    main = actors.main if chosen is None else actors.of_main(chosen)
    # A type without an id is the main agent, started in that role.
    if event.agent_id is None:
        if event.actor == main and event.parent_actor is None:
            return event
        return msgspec.structs.replace(event, actor=main, parent_actor=None)
    actor = actors.of_subagent(event.agent_type or _KIND_UNKNOWN)
    return msgspec.structs.replace(event, actor=actor, parent_actor=main)


_MOST: Final = 4_096  # sessions remembered


class SessionContext:
    """Adds facts about the session to each event, and remembers what the host said about it."""

    def __init__(self, extensions: Extensions) -> None:
        self._enrichers: Final = extensions.enrichers
        self._chosen: Final[dict[str, str]] = {}
        self._projects: Final[dict[str, str]] = {}
        self.callers: Final = Callers()

    def enrich(self, event: Event, loaded: Loaded, chosen: str | None = None) -> Event:
        """Add the facts that features know; `chosen` is the actor that the host's environment names."""
        if chosen is not None:
            _remember(self._chosen, event.session_id, chosen)
        if event.project is not None:
            _remember(self._projects, event.session_id, event.project)
        for enrich in self._enrichers:
            event = enrich(event, loaded)
        return event

    def chosen(self, session: str) -> str | None:
        """The actor that the session's host named last."""
        return self._chosen.get(session)

    def project(self, session: str) -> str | None:
        """The project that the session's host named last."""
        return self._projects.get(session)


def _remember(memory: dict[str, str], session: str, value: str) -> None:
    if len(memory) >= _MOST and session not in memory:
        memory.clear()
    memory[session] = value


class CallIntake:
    """Parses calls; those of one turn share one look at the policy's files."""

    def __init__(self, policies: Policies, sessions: SessionContext) -> None:
        self._policies: Final = policies
        self._sessions: Final = sessions
        self._looked: Final[dict[tuple[str, str | None], Loaded]] = {}

    def open(self, call: Call) -> ParsedCall | RejectedCall:
        """Parse a call and find its policy; a broken call is returned, to be answered in its turn."""
        host = HOSTS.get(call.host)
        if host is None:
            names = ", ".join(HOSTS)
            reason = f"unknown host `{call.host}` ({names}); run `interlock install` again"
            return RejectedCall(host=None, call=call, reason=reason)
        try:
            env = call.env
            event = host.read(call.payload, env)
            where = (event.cwd, env.get("CLAUDE_PROJECT_DIR"))
            loaded = self._looked.get(where) or self._look(where, event)
            chosen = env.get("INTERLOCK_ACTOR")
            event = with_actor(event, loaded.actors, chosen)
            event = self._sessions.enrich(event, loaded, chosen)
            return ParsedCall(host, event, loaded, identity_of(event, call.payload))
        except PayloadError as error:
            return RejectedCall(
                host=host, call=call, kind=error.kind, reason=str(error), event_name=error.event_name
            )
        except Exception as error:  # a call that could not be parsed must not pass
            _log.error("a call could not be read", exc_info=error)
            return RejectedCall(host=host, call=call, kind="defect", reason=repr(error))

    def _look(self, where: tuple[str, str | None], event: Event) -> Loaded:
        loaded = self._policies.for_folder(*where)
        if event.name in JUDGED:  # its commit ends this turn; after an observed one that may be long
            self._looked[where] = loaded
        return loaded

    def end_turn(self) -> None:
        """Make the next call look at the policy's files again."""
        self._looked.clear()


class Refuser:
    """Records a refusal, or a gap where the event lets an undecided call pass."""

    def __init__(self, policies: Policies, ledger: LedgerWriter, withdraw: Callable[[Event], object]) -> None:
        self._policies: Final = policies
        self._withdraw: Final = withdraw  # drops what hooks staged for a decision that is not made
        self._ledger: Final = ledger
        self.open_passes = 0  # calls that passed although nothing was decided

    def refuse(self, opened: ParsedCall, reason: str) -> PendingAnswer:
        """Answer a call that was parsed."""
        event = opened.event
        self._withdraw(event)
        reply = opened.host.refuse(event.name, reason, closed=closes(opened))
        body = {
            "event": event.name,
            "session_id": event.session_id,
            "tool": event.tool.name if event.tool else None,
            "tool_use_id": event.tool.use_id if event.tool else None,
            "reason": reason,
        }
        self._record(reply, event.actor, opened.loaded.root, body)
        return PendingAnswer(reply=reply, durable=True, event=event.name, identity=opened.identity)

    def refuse_undecided(self, opened: ParsedCall, error: Exception) -> PendingAnswer:
        """Answer a call for which an error left no decision."""
        _log.error("no decision for %s", opened.event.name, exc_info=error)
        reason = f"no decision could be made: {error}; `interlock paths` shows where the log is"
        return self.refuse(opened, reason)

    def refuse_unopened(self, found: RejectedCall) -> PendingAnswer:
        """Answer a call that could not be parsed, or that names an unknown host."""
        if found.host is None:
            reply = Reply(exit_code=2, stderr=found.reason.encode("utf-8", "replace"))
            self._record(reply, "", "", {"reason": found.reason})
            return PendingAnswer(reply=reply, durable=True)
        # The call's folder is unknown, so the policy of no folder decides about prompts.
        closed = _holds_prompts(self._policies.for_folder("")) if found.event_name in PROMPTS else None
        reason = f"the event could not be read: {found.reason}"
        reply = found.host.refuse(found.event_name, reason, closed=closed)
        payload = found.call.payload
        body = {
            "host": found.host.name,
            "event": found.event_name,
            "kind": found.kind,
            "reason": found.reason,
            "bytes": len(payload),
            "sha256": hashlib.sha256(payload).hexdigest(),
        }
        self._record(reply, "", "", body)
        return PendingAnswer(reply=reply, durable=True, event=found.event_name)

    def _record(self, reply: Reply, actor: str, root: str, body: Mapping[str, object]) -> None:
        passed = reply == Reply()
        self.open_passes += passed
        result = {"decision": "allow", "open_passes": 1} if passed else {"decision": "deny"}
        self._ledger.append("gap" if passed else "refused", actor, root, {**body, **result})


def closes(opened: ParsedCall) -> bool | None:
    """Whether an error denies the call: a prompt only if a hook judges prompts; None: the event decides."""
    return _holds_prompts(opened.loaded) if opened.event.name in PROMPTS else None


def _holds_prompts(loaded: Loaded) -> bool:
    return not loaded.usable or judges_prompts(loaded.engine.hooks)
