"""Calls that were answered by a daemon before this one: a host asks again when ours was killed meanwhile."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec

from interlock.daemon.decision_record import body_of
from interlock.errors import LedgerError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.ledger.entry import body_of as told_in
from interlock.redaction.redactor import Redactor
from interlock.redaction.visible import visible_words
from interlock.store.errors import explain
from interlock.store.statements import statements

_LOOKED_THROUGH: Final = 1_024  # entries: far more than were on their way when the last daemon ended
_VOTES: Final = {"allow": Vote.ABSTAIN, "ask": Vote.ASK, "deny": Vote.DENY}
# What was reported, as an entry keeps it: an id used again for something else is another call.
_REPORTED: Final = ("agent_id", "agent_type", "cwd", "extra", "host", "permission_mode", "project", "tool")
_MARK: Final = b"[secret:"
_UNTOLD: Final = "the daemon ended after it had changed this call, whose input holds a secret; call it again"


class _Known(msgspec.Struct, frozen=True):
    tool_use_id: Any = None


class _Entry(msgspec.Struct, frozen=True):
    body: _Known


class Recalled(NamedTuple):
    """What was decided, or why it cannot be said again."""

    decision: Decision
    untold: str | None = None


class AnsweredBefore:
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
