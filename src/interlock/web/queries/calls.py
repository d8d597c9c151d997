"""One call: what was asked, what each hook did, what became of the input, and what came back."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

import msgspec

from interlock.errors import LedgerError
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.store.errors import explain
from interlock.store.statements import statements
from interlock.web.decision_words import Evidence, captured

_WITHIN: Final = 20_000  # entries after its beginning in which the end of a call is looked for


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """What one hook did, and when after the first began."""

    hook: str = "-"
    source: str = ""
    type: str = ""
    matcher: str = ""
    vote: str = ""
    outcome: str = ""
    reason: str | None = None
    duration_ms: float = 0.0
    begin_ms: float = 0.0
    passed_open: bool = False
    rejudged: bool = False
    shadow: bool = False
    gave: tuple[str, ...] = ()
    updated_input: JsonObject | None = None


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A decision about one moment, with the end of the call it let happen."""

    entry: Entry
    body: JsonObject
    trace: tuple[Traced, ...]
    end: Entry | None = None
    end_body: JsonObject = {}
    end_trace: tuple[Traced, ...] = ()
    evidence: Evidence = ()
    end_evidence: Evidence = ()


def call_of(ledger: sqlite3.Connection, seq: str) -> Call:
    """The decision of that seq or id; its end where it was a call that ended soon after."""
    entry = LedgerReader(ledger).show(seq)
    body = entry.body
    if entry.op != "decision":
        raise LedgerError(f"entry `{entry.seq}` is not a decision; see it in the ledger")
    end = _end_of(ledger, entry, body)
    end_body = end.body if end else {}
    trace, end_trace = _trace(body), _trace(end_body)
    return Call(
        entry=entry,
        body=body,
        trace=trace,
        end=end,
        end_body=end_body,
        end_trace=end_trace,
        evidence=captured_behind(ledger, entry, len(trace)),
        end_evidence=captured_behind(ledger, end, len(end_trace)) if end else (),
    )


def captured_behind(ledger: sqlite3.Connection, decision: Entry, hooks: int) -> Evidence:
    """The evidence the hooks of a decision captured; none has more than one piece of it."""
    return captured(decision, LedgerReader(ledger).after(decision.seq, limit=hooks)) if hooks else ()


def _end_of(ledger: sqlite3.Connection, entry: Entry, body: JsonObject) -> Entry | None:
    use_id = body.get("tool_use_id")
    if entry.event != EventName.PRE_TOOL_USE or not isinstance(use_id, str) or entry.session_id is None:
        return None
    asked = {"session": entry.session_id, "seq": entry.seq, "within": _WITHIN, "use_id": use_id}
    try:
        found = ledger.execute(statements("web_entries")["end_of_call"], asked).fetchone()
    except sqlite3.Error as error:
        raise LedgerError(f"cannot read the ledger: {explain(error)}") from error
    return Entry(*found) if found else None


def _trace(body: JsonObject) -> tuple[Traced, ...]:
    """The hooks one after the other, as they ran."""
    rows: Any = body.get("trace")
    found: list[Traced] = []
    begin = 0.0
    for row in rows if isinstance(rows, list) else ():
        try:
            one = msgspec.convert(row, Traced)
        except msgspec.ValidationError:  # of a version to come: what is known of it is its place
            one = Traced()
        found.append(msgspec.structs.replace(one, begin_ms=begin))
        begin += one.duration_ms
    return tuple(found)


ENDS: Final = frozenset(
    {EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE, EventName.PERMISSION_DENIED}
)
_MOST: Final = 500  # calls that have begun and not ended

_Kind = tuple[str, str]  # a session and a tool


class Calls:
    """The calls that have begun: what is told of one later finds it there."""

    def __init__(self) -> None:
        self._open: Final[dict[str, tuple[_Kind, bytes]]] = {}  # and the digest of its input

    def name(self, event: str, told: Mapping[str, Any]) -> str:
        """The name of the call an event is of; empty where it is of none, or nobody can tell of which."""
        session, tool, use_id = (str(told.get(key) or "") for key in ("session_id", "tool", "tool_use_id"))
        given = _digest(told.get("input", told.get("tool_input")))
        if event == EventName.PERMISSION_REQUEST and not use_id:
            return self._begun((session, tool), given)
        if not use_id or not session:
            return ""
        name = blake2b(f"{session}\n{use_id}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        if event == EventName.PRE_TOOL_USE:
            self._open[name] = ((session, tool), given)
            if len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
        elif event in ENDS:
            self._open.pop(name, None)
        return name

    def _begun(self, kind: _Kind, given: bytes) -> str:
        """The one with this input; hooks may have changed it, so a call that is the only one is it too."""
        found = [(name, one) for name, (of, one) in self._open.items() if of == kind]
        same = [name for name, one in found if one == given]
        return same[-1] if same else found[0][0] if len(found) == 1 else ""


def _digest(given: Any) -> bytes:
    return blake2b(msgspec.json.encode(given, order="deterministic"), digest_size=8).digest()
