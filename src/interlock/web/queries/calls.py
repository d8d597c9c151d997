"""One call: its input, what each hook did, and its end."""

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

_WITHIN: Final = 20_000  # entries after the start of a call in which to look for its end


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """What one hook did, and when it began, counted from the first."""

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
    """A decision, with the end of its call."""

    entry: Entry
    body: JsonObject
    trace: tuple[Traced, ...]
    end: Entry | None = None
    end_body: JsonObject = {}
    end_trace: tuple[Traced, ...] = ()
    evidence: Evidence = ()
    end_evidence: Evidence = ()


def call_of(ledger: sqlite3.Connection, seq: str) -> Call:
    """The decision with this seq or id, and the end of its call if it followed soon after."""
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
    """The evidence that the hooks of a decision captured, at most one piece each."""
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
    """The hooks in the order they ran."""
    rows: Any = body.get("trace")
    found: list[Traced] = []
    begin = 0.0
    for row in rows if isinstance(rows, list) else ():
        try:
            one = msgspec.convert(row, Traced)
        except msgspec.ValidationError:  # written by a later version; only its position is known
            one = Traced()
        found.append(msgspec.structs.replace(one, begin_ms=begin))
        begin += one.duration_ms
    return tuple(found)


ENDS: Final = frozenset(
    {EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE, EventName.PERMISSION_DENIED}
)
_MOST: Final = 500  # calls under way

_Kind = tuple[str, str]  # a session and a tool


class Calls:
    """The calls under way, to which later events are matched."""

    def __init__(self) -> None:
        self._open: Final[dict[str, tuple[_Kind, bytes]]] = {}  # name → kind, digest of the input

    def name(self, event: str, body: Mapping[str, Any]) -> str:
        """The name of the call that an event belongs to; empty if there is none or it is unclear."""
        session, tool, use_id = (str(body.get(key) or "") for key in ("session_id", "tool", "tool_use_id"))
        written = msgspec.json.encode(body.get("input", body.get("tool_input")), order="deterministic")
        given = blake2b(written, digest_size=8).digest()
        if event == EventName.PERMISSION_REQUEST and not use_id:
            return self._find((session, tool), given)
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

    def _find(self, kind: _Kind, given: bytes) -> str:
        """The call with this input, or the only call of this kind: hooks may have changed its input."""
        found = [(name, one) for name, (of, one) in self._open.items() if of == kind]
        same = [name for name, one in found if one == given]
        return same[-1] if same else found[0][0] if len(found) == 1 else ""
