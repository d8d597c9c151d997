"""What is remembered of calls that were decided: their answers, and the input each may run with."""

from __future__ import annotations

import asyncio
import hashlib
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
from interlock.ledger.entry import body_of as told_in
from interlock.redaction.marks import visible_words
from interlock.redaction.redactor import Redactor
from interlock.store.errors import explain
from interlock.store.statements import statements

_REMEMBERED: Final = 4_096
_LONGEST: Final = 16 * 1024  # times the number above: what remembering may take at most


class DuplicateCalls:
    """Gives the second report of a call the first one's answer, also while that is still being made."""

    def __init__(self) -> None:
        self._made: Final[OrderedDict[Identity, PendingAnswer]] = OrderedDict()
        self._coming: Final[dict[Identity, asyncio.Task[PendingAnswer]]] = {}

    def known(self, identity: Identity) -> PendingAnswer | asyncio.Task[PendingAnswer] | None:
        """The answer, or the task that is making it; None for a call not seen before."""
        found = self._made.get(identity)
        return self._coming.get(identity) if found is None and self._coming else found

    def expect(self, identity: Identity, task: asyncio.Task[PendingAnswer]) -> None:
        """Note that the answer is being made."""
        if identity[2]:
            self._coming[identity] = task
            task.add_done_callback(lambda _: self._coming.pop(identity, None))

    def remember(self, answer: PendingAnswer) -> None:
        """Keep an answer, without the summary: it holds the whole input, and watchers are told once."""
        identity, made = answer.identity, self._made
        if not identity[2] or len(answer.reply.stdout) > _LONGEST:
            return
        made[identity] = msgspec.structs.replace(answer, summary={}) if answer.summary else answer
        if len(made) > _REMEMBERED:
            made.popitem(last=False)

    def forget(self, answer: PendingAnswer) -> None:
        """Take an answer back."""
        self._made.pop(answer.identity, None)


_LOOKED_THROUGH: Final = 1_024  # entries: far more than were on their way when the last daemon ended
_VOTES: Final = {"allow": Vote.ABSTAIN, "ask": Vote.ASK, "deny": Vote.DENY}
# What was reported, as an entry keeps it: an id used again for something else is another call.
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
    """What was decided, or why it cannot be said again."""

    decision: Decision
    untold: str | None = None


class CallsBeforeRestart:
    """Finds the decision of a call in the entries that were there before this daemon began."""

    def __init__(self, connection: sqlite3.Connection, redactor: Redactor, *, end: int) -> None:
        self._connection: Final = connection
        self._redactor: Final = redactor
        self._end: Final = end  # the last entry that is not ours
        self._known: dict[tuple[str, str], int] | None = None

    def find(self, event: Event) -> Recalled | None:
        """The decision on this very call, with its id and all that was reported of it."""
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
        body = told_in(found[0]) if found else {}  # retention may have removed it
        return _recalled(body) if self._same(event, body) else None

    def _read(self) -> dict[tuple[str, str], int]:
        values = (self._end - _LOOKED_THROUGH, self._end, EventName.PRE_TOOL_USE)
        rows = self._connection.execute(statements("ledger")["decided_between"], values)
        known: dict[tuple[str, str], int] = {}
        for seq, session, payload in rows:
            use_id = msgspec.json.decode(payload, type=_Entry).body.tool_use_id
            if isinstance(use_id, str) and session is not None:
                known.setdefault((session, use_id), seq)  # the first one counts
        return known

    def _same(self, event: Event, body: JsonObject) -> bool:
        """Whether an entry is about what is reported now; both without their secrets."""
        record = msgspec.json.encode(body_of(event, Decision(vote=Vote.ABSTAIN), 0.0))
        now = msgspec.json.decode(self._redactor.body(record, keep=partial(visible_words, event)))
        return all(now.get(name) == body.get(name) for name in (*_REPORTED, "tool_input"))


def _recalled(body: JsonObject) -> Recalled:
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
        # The entry holds it without its secrets, so what the host would run is not known any more.
        return Recalled(decision, _UNTOLD)
    return Recalled(decision)


_MOST_INPUTS: Final = 4_096
_SHORT: Final = 512
_PLAIN: Final = frozenset({bool, int, float, type(None)})
_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})


class OverrideCheck:
    """Remembers the input each call was decided with, until the host reports what it did."""

    def __init__(self) -> None:
        self._decided: Final[OrderedDict[tuple[str, str], JsonObject | bytes]] = OrderedDict()

    def expect(self, event: Event, decision: Decision) -> None:
        """Remember the input a call may run with."""
        tool = event.tool
        if tool is None or not tool.use_id or event.name != EventName.PRE_TOOL_USE:
            return
        final = tool.input if decision.updated_input is None else decision.updated_input
        self._decided[event.session_id, tool.use_id] = _kept(final)
        if len(self._decided) > _MOST_INPUTS:
            self._decided.popitem(last=False)

    def overridden(self, event: Event) -> bool:
        """Whether a call ran with another input than was decided."""
        if event.name not in _AFTER or event.tool is None or not event.tool.use_id:
            return False
        decided = self._decided.pop((event.session_id, event.tool.use_id), None)
        return decided is not None and decided != _kept(event.tool.input)


def _kept(tool_input: JsonObject) -> JsonObject | bytes:
    """A small input as it is; of one that holds a whole file only the digest."""
    for value in tool_input.values():
        if value.__class__ is str:
            if len(value) > _SHORT:
                break
        elif value.__class__ not in _PLAIN:
            break
    else:
        return tool_input
    return hashlib.sha256(msgspec.json.encode(tool_input, order="sorted")).digest()
