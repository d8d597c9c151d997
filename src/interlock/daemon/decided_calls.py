"""What is remembered about decided calls: their answers, and the input each may run with."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sqlite3
from collections import OrderedDict
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from interlock.daemon.call_intake import Identity, PendingAnswer
from interlock.errors import LedgerError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.ledger.decision_record import body_of
from interlock.ledger.entry import body_of as body_in
from interlock.redaction.marks import visible_words
from interlock.redaction.redactor import Redactor
from interlock.store.errors import explain
from interlock.store.statements import statements

_log: Final = logging.getLogger(__name__)
_REMEMBERED: Final = 4_096
_LONGEST: Final = 16 * 1024  # bytes of an answer; times the number above, this bounds the memory


class DuplicateCalls:
    """Gives the second report of a call the answer of the first, or the task that is making it."""

    def __init__(self) -> None:
        self._made: Final[OrderedDict[Identity, PendingAnswer]] = OrderedDict()
        self._coming: Final[dict[Identity, asyncio.Task[PendingAnswer]]] = {}

    def known(self, identity: Identity) -> PendingAnswer | asyncio.Task[PendingAnswer] | None:
        """The answer, or the task that is making it; None for a new call."""
        found = self._made.get(identity)
        return self._coming.get(identity) if found is None and self._coming else found

    def expect(self, identity: Identity, task: asyncio.Task[PendingAnswer]) -> None:
        if identity[2]:
            self._coming[identity] = task
            task.add_done_callback(lambda _: self._coming.pop(identity, None))

    def remember(self, answer: PendingAnswer) -> None:
        """Keep an answer without its summary, which holds the whole input; watchers get it only once."""
        identity, made = answer.identity, self._made
        if not identity[2] or len(answer.reply.stdout) > _LONGEST:
            return
        made[identity] = msgspec.structs.replace(answer, summary={}) if answer.summary else answer
        if len(made) > _REMEMBERED:
            made.popitem(last=False)

    def forget(self, answer: PendingAnswer) -> None:
        self._made.pop(answer.identity, None)


_LOOKED_THROUGH: Final = 1_024  # entries: far more than were under way when the last daemon ended
_VOTES: Final = {"allow": Vote.ABSTAIN, "ask": Vote.ASK, "deny": Vote.DENY}
# Compared besides the id, because a host may reuse an id for another call.
_REPORTED: Final = ("agent_id", "agent_type", "cwd", "extra", "host", "permission_mode", "project", "tool")
_MARK: Final = b"[secret:"
_UNTOLD: Final = (
    "the daemon stopped after it changed this call, whose input contains a secret; make the call again"
)


class _Known(msgspec.Struct, frozen=True):
    tool_use_id: Any = None


class _Entry(msgspec.Struct, frozen=True):
    body: _Known


class Recalled(NamedTuple):
    """What was decided, or why it cannot be repeated."""

    decision: Decision
    untold: str | None = None


class CallsBeforeRestart:
    """Finds the decision on a call in the entries that an earlier daemon wrote."""

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor, *, end: int) -> None:
        self._connection: Final = connection
        self._redactor: Final = redactor
        self._end: Final = end  # the last entry of an earlier daemon
        self._known: dict[tuple[str, str], int] | None = None

    def find(self, event: Event) -> Recalled | None:
        """The decision on this very call: the same id and the same report."""
        tool = event.tool
        if event.name != EventName.PRE_TOOL_USE or tool is None or not tool.use_id:
            return None
        try:
            if self._known is None:
                self._known = self._read()
            if (seq := self._known.get((event.session_id, tool.use_id))) is None:
                return None
            found = self._connection.execute(statements("ledger")["payload_at"], (seq,)).fetchone()
        except sqlite3.Error as error:
            raise LedgerError(f"cannot read the ledger: {explain(error)}") from error
        body = body_in(found[0]) if found else {}  # retention may have removed it
        return _recall(body) if self._is_same(event, body) else None

    def _read(self) -> dict[tuple[str, str], int]:
        values = (self._end - _LOOKED_THROUGH, self._end, EventName.PRE_TOOL_USE)
        rows = self._connection.execute(statements("ledger")["decided_between"], values)
        known: dict[tuple[str, str], int] = {}
        for seq, session, payload in rows:
            use_id = msgspec.json.decode(payload, type=_Entry).body.tool_use_id
            if isinstance(use_id, str) and session is not None:
                known.setdefault((session, use_id), seq)  # the first one counts
        return known

    def _is_same(self, event: Event, body: JsonObject) -> bool:
        """Whether an entry is about this event; both without their secrets."""
        record = msgspec.json.encode(body_of(event, Decision(vote=Vote.ABSTAIN), 0.0))
        now = msgspec.json.decode(self._redactor.body(record, keep=partial(visible_words, event)))
        return all(now.get(name) == body.get(name) for name in (*_REPORTED, "tool_input"))


def _recall(body: JsonObject) -> Recalled:
    changed = body.get("updated_input")
    decision = Decision(
        vote=Vote.ALLOW if body.get("auto_approve") else _VOTES[body["decision"]],
        reason=body.get("reason"),
        decided_by=body.get("decided_by"),
        updated_input=changed,
        context=tuple(body.get("context", ())),
        messages=tuple(body.get("messages", ())),
        approval=body.get("approval"),
        auto_approve=bool(body.get("auto_approve")),
        revision=body.get("revision", ""),
    )
    if changed is not None and _MARK in msgspec.json.encode(changed):
        # The entry holds the changed input without its secrets, so what the host would run is unknown.
        return Recalled(decision, _UNTOLD)
    return Recalled(decision)


_SHORT: Final = 512
_PLAIN: Final = frozenset({bool, int, float, type(None)})
_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})


class OverrideCheck:
    """Remembers the input each call was decided with, until the host reports what it did."""

    def __init__(self) -> None:
        self._decided: Final[OrderedDict[tuple[str, str], JsonObject | bytes]] = OrderedDict()

    def expect(self, event: Event, decision: Decision) -> None:
        """Remember the input with which a call may run."""
        tool = event.tool
        if tool is None or not tool.use_id or event.name != EventName.PRE_TOOL_USE:
            return
        final = tool.input if decision.updated_input is None else decision.updated_input
        self._decided[event.session_id, tool.use_id] = _shorten(final)
        if len(self._decided) > _REMEMBERED:
            self._decided.popitem(last=False)

    def find(self, event: Event) -> dict[str, object] | None:
        """The body of an entry if a call ran with another input than was decided."""
        tool = event.tool
        if event.name not in _AFTER or tool is None or not tool.use_id:
            return None
        decided = self._decided.pop((event.session_id, tool.use_id), None)
        if decided is None or decided == _shorten(tool.input):
            return None
        _log.warning("%s ran with another input than was decided", tool.name)
        ran = {"tool": tool.name, "tool_use_id": tool.use_id, "ran": tool.input}
        return {"event": event.name, "session_id": event.session_id, **ran}


def _shorten(tool_input: JsonObject) -> JsonObject | bytes:
    """A small input as it is; the digest of one that holds a whole file."""
    for value in tool_input.values():
        if value.__class__ is str:
            if len(value) > _SHORT:
                break
        elif value.__class__ not in _PLAIN:
            break
    else:
        return tool_input
    return hashlib.sha256(msgspec.json.encode(tool_input, order="sorted")).digest()
