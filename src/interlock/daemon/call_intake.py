"""A call as it was read, or why it could not be; and the answer on its way out."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.daemon.policy_loader import Loaded, Policies
from interlock.daemon.protocol import Call
from interlock.daemon.session_context import SessionContext, with_actor
from interlock.errors import PayloadError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import JUDGED, EventName
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
