"""A call as it was read: what it is, who makes it and where; or why it could not be read."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.daemon.extension import Extensions
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

_log: Final = logging.getLogger(__name__)
_ONCE_PER_CALL: Final = frozenset(
    {EventName.PRE_TOOL_USE, EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE}
)

# Session, event, the host's id of the call (empty where it has none), and the hash of what was reported.
Identity = tuple[str, str, str, int]
NOBODY: Final[Identity] = ("", "", "", 0)


class PendingAnswer(msgspec.Struct, frozen=True, gc=False):
    """An answer on its way out."""

    reply: Reply
    durable: bool  # must be on disk before it leaves
    host: Host | None = None  # says it when the answer cannot be recorded; None: the reply stands
    event: str = ""
    closed: bool | None = None  # whether what cannot be recorded is refused; None: the moment says
    identity: Identity = NOBODY
    summary: dict[str, object] = {}  # for those who watch

    def refusal(self, why: str) -> Reply:
        """Sent instead when it cannot be recorded."""
        if self.host is None:
            return self.reply
        return self.host.refuse(self.event, f"the decision could not be recorded: {why}", closed=self.closed)

    @property
    def about(self) -> dict[str, object]:
        """Which call it answers, in an entry of its own."""
        session_id, _, use_id, _ = self.identity
        return {"event": self.event, "session_id": session_id, "tool_use_id": use_id}


class ParsedCall(msgspec.Struct, frozen=True, gc=False):
    """A call that has been read."""

    host: Host
    event: Event
    loaded: Loaded
    identity: Identity


class RejectedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that could not be taken up, and why."""

    host: Host | None  # None: nobody knows the host it names
    call: Call
    reason: str
    kind: str = ""
    event_name: str = ""  # as far as it was read


def identity_of(event: Event, payload: bytes) -> Identity:
    """What makes two reports one: also their bytes, or an id used again would bring another call's answer."""
    use_id = event.tool.use_id if event.tool and event.name in _ONCE_PER_CALL else None
    return (event.session_id, event.name, use_id or "", hash(payload))


def summary_of(
    event: Event,
    decision: Decision,
    entry: Entry,
    body: DecisionRecord,
    captured: Sequence[tuple[str, Entry]] = (),
) -> dict[str, object]:
    """A decision in a few fields, for those who watch; `captured` is the evidence of each hook."""
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
        "trace": [_did(row) for row in body.trace],
        "evidence": [{"hook": hook, "seq": one.seq, "id": one.id} for hook, one in captured],
    }


def _did(row: TraceRecord) -> dict[str, object]:
    """What one hook did, without the texts."""
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


_MOST_CALLS: Final = 1_024  # calls remembered; one is forgotten when it is taken
_KEPT_MEMBERS: Final = ("entrypoint",)  # of what the host says besides: whether a person is there


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """A call of one of our tools, without what it was given."""

    event: Event  # who and where; its tool is left out
    digest: str  # of the tool and its input


class Callers:
    """Remembers calls between the moment their host reports them and the moment our server gets them.

    A tool server is started once per session and does not see sub-agents; the report says which one calls.
    """

    def __init__(self) -> None:
        self._calls: Final[dict[tuple[str, str], Reported]] = {}

    def decided(self, event: Event, decision: Decision) -> None:
        """Take notice of a call of one of our tools that may be made, with the input it will have."""
        tool = event.tool
        if (
            tool is None
            or not tool.name.startswith(OWN)
            or event.name != EventName.PRE_TOOL_USE
            or not tool.use_id
        ):
            return
        if decision.denied:
            return  # nobody may make it, under whichever name
        extra = {name: event.extra[name] for name in _KEPT_MEMBERS if name in event.extra}
        lean = msgspec.structs.replace(event, tool=None, extra=extra)
        given = tool.input if decision.updated_input is None else decision.updated_input
        digest = _call_digest(tool.name.removeprefix(OWN), given)
        self._calls[event.session_id, tool.use_id] = Reported(event=lean, digest=digest)
        if len(self._calls) > _MOST_CALLS:
            del self._calls[next(iter(self._calls))]

    def take(self, session: str | None, use_id: object, tool: str, arguments: JsonObject) -> Event | None:
        """Who made exactly this call; None when nobody did, or it was taken before."""
        if session is None or not isinstance(use_id, str):
            return None
        found = self._calls.get((session, use_id))
        if found is None or found.digest != _call_digest(tool, arguments):
            return None
        del self._calls[session, use_id]
        return found.event


def _call_digest(tool: str, arguments: JsonObject) -> str:
    return hashlib.sha256(msgspec.json.encode([tool, arguments], order="sorted")).hexdigest()


_KIND_UNKNOWN: Final = "subagent"  # a sub-agent whose kind the host does not tell


def with_actor(event: Event, actors: ActorMap, chosen: str | None = None) -> Event:
    """The event with its actor; a sub-agent also has the main agent as its parent."""
    main = actors.main if chosen is None else actors.of_main(chosen)
    # A kind without an id is the main agent, started in that role.
    if event.agent_id is None:
        if event.actor == main and event.parent_actor is None:
            return event
        return msgspec.structs.replace(event, actor=main, parent_actor=None)
    actor = actors.of_subagent(event.agent_type or _KIND_UNKNOWN)
    return msgspec.structs.replace(event, actor=actor, parent_actor=main)


_MOST: Final = 4_096  # sessions remembered


class SessionContext:
    """Looks a session up at each of its events; also remembers what its host said of it."""

    def __init__(self, extensions: Extensions) -> None:
        self._enrichers: Final = extensions.enrichers
        self._chosen: Final[dict[str, str]] = {}
        self._projects: Final[dict[str, str]] = {}
        self.callers: Final = Callers()

    def enrich(self, event: Event, loaded: Loaded, chosen: str | None = None) -> Event:
        """The event with what it is about; `chosen` is the actor its host's environment asks for."""
        if chosen is not None:
            _remember(self._chosen, event.session_id, chosen)
        if event.project is not None:
            _remember(self._projects, event.session_id, event.project)
        for enrich in self._enrichers:
            event = enrich(event, loaded)
        return event

    def chosen(self, session: str) -> str | None:
        """The actor a session's host asked for when it last reported something."""
        return self._chosen.get(session)

    def project(self, session: str) -> str | None:
        """The project a session is in, as its host told when it last reported something."""
        return self._projects.get(session)


def _remember(memory: dict[str, str], session: str, told: str) -> None:
    if len(memory) >= _MOST and session not in memory:
        memory.clear()
    memory[session] = told


class CallIntake:
    """Opens the calls of a turn; those that share a turn share the look at the policy's files."""

    def __init__(self, policies: Policies, sessions: SessionContext) -> None:
        self._policies: Final = policies
        self._sessions: Final = sessions
        self._looked: Final[dict[tuple[str, str | None], Loaded]] = {}

    def open(self, call: Call) -> ParsedCall | RejectedCall:
        """Whatever is wrong with a call is a value: it is answered in its turn, like the others."""
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
        except Exception as error:  # whatever it is, a call nobody could read must not pass
            _log.error("a call could not be read", exc_info=error)
            return RejectedCall(host=host, call=call, kind="defect", reason=repr(error))

    def _look(self, where: tuple[str, str | None], event: Event) -> Loaded:
        loaded = self._policies.for_folder(*where)
        if event.name in JUDGED:  # its commit ends this turn; after an observed one that may be long
            self._looked[where] = loaded
        return loaded

    def end_turn(self) -> None:
        """Whatever comes next looks at the policy's files again."""
        self._looked.clear()
