"""The timeline of one session: prompts, calls with their ends, sub-agents, compactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.search.question import rule_of
from interlock.web.decision_words import Fired, call_text, captured, decision_word, fired_of
from interlock.web.queries.calls import Calls

_LONGEST: Final = 300
_SETTLING: Final = frozenset({"requested", "used"})  # recorded right before their decision
_ENDS: Final[dict[str, str]] = {
    EventName.POST_TOOL_USE: "succeeded",
    EventName.POST_TOOL_USE_FAILURE: "failed",
    EventName.PERMISSION_DENIED: "refused by the host",
}


class Kind(StrEnum):
    PROMPT = "prompt"
    CALL = "call"
    AGENT = "sub-agent"
    COMPACTION = "compaction"
    SESSION = "session"
    STOP = "stop"
    OTHER = "other"


_KINDS: Final[dict[str, Kind]] = {
    EventName.USER_PROMPT_SUBMIT: Kind.PROMPT,
    EventName.POST_USER_MESSAGE: Kind.PROMPT,
    EventName.PRE_TOOL_USE: Kind.CALL,
    **dict.fromkeys(_ENDS, Kind.CALL),
    EventName.SUBAGENT_START: Kind.AGENT,
    EventName.SUBAGENT_STOP: Kind.AGENT,
    EventName.PRE_COMPACT: Kind.COMPACTION,
    EventName.POST_COMPACT: Kind.COMPACTION,
    EventName.SESSION_START: Kind.SESSION,
    EventName.SESSION_END: Kind.SESSION,
    EventName.STOP: Kind.STOP,
}


class Later(msgspec.Struct, frozen=True, kw_only=True):
    """A later event of a call."""

    seq: int
    event: str
    fired: tuple[Fired, ...]


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One item of the timeline; all events of a call are one item."""

    seq: int
    ts: str
    kind: Kind
    title: str
    text: str
    actor: str
    agent: str | None = None  # the sub-agent it happened in
    decision: str | None = None
    rule: str | None = None
    reason: str | None = None
    approval: str | None = None  # the request or grant it was settled by
    approval_seq: int | None = None  # its entry
    hooks: int = 0  # how many ran
    fired: tuple[Fired, ...] = ()  # what each of them did
    duration_ms: float | None = None  # of the decision
    changed: bool = False  # a hook changed the input
    traced: bool = False  # there is a trace to open
    later: tuple[Later, ...] = ()  # the other events of the call
    end: str | None = None  # how the call ended, if known
    end_seq: int | None = None
    took_ms: float | None = None  # the duration of the call, if the host reports it

    @property
    def word(self) -> str:
        return decision_word(self.decision, {"approval": self.approval, "reason": self.reason})


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Some items of a session, oldest first, and where older ones end."""

    items: tuple[Item, ...]
    before: int | None


def timeline_of(
    ledger: sqlite3.Connection, session: str, *, limit: int = 200, before: int | None = None
) -> Timeline:
    """The newest items of a session, or those before a seq."""
    entries = LedgerReader(ledger).page(Filter(session=session), limit=limit + 1, before=before)
    shown = entries[:limit]
    older = shown[-1].seq if len(entries) > limit else None
    return Timeline(items=tuple(moments(shown[::-1])), before=older)


def moments(entries: Sequence[Entry]) -> list[Item]:
    """One item per entry in order; the events of a call join the item it begins with."""
    found: dict[int, Item] = {}
    begun: dict[str, int] = {}  # a call → the entry it begins with
    settled: dict[str, int] = {}  # a request → the entry that says it was made or used
    calls, evidence = Calls(), set[int]()
    for place, entry in enumerate(entries):
        if entry.seq in evidence:
            continue
        body = entry.body
        if entry.op != "decision":
            if entry.op == "approval" and body.get("state") in _SETTLING:
                settled[str(body.get("approval"))] = entry.seq
            found[entry.seq] = _item(entry, body)
            continue
        kept = captured(entry, islice(entries, place + 1, None))
        evidence.update(seq for _, seq, _ in kept)
        fired = fired_of(body.get("trace"), kept)
        call = calls.name(entry.event or "", {**body, "session_id": entry.session_id})
        if call in begun and entry.event != EventName.PRE_TOOL_USE:
            found[begun[call]] = _joined(found[begun[call]], entry, body, fired)
            continue
        if call:
            begun[call] = entry.seq
        asked = settled.pop(str(body.get("approval")), None)
        found.pop(asked or 0, None)
        found[entry.seq] = replace(_item(entry, body), fired=fired, approval_seq=asked)
    return list(found.values())


def _joined(item: Item, entry: Entry, body: JsonObject, fired: tuple[Fired, ...]) -> Item:
    """The item of a call with one more event."""
    later = (*item.later, Later(seq=entry.seq, event=entry.event or entry.op, fired=fired))
    item = replace(item, later=later, hooks=item.hooks + len(fired))
    if entry.event not in _ENDS:
        stopped = {
            "decision": entry.decision,
            "rule": rule_of(body),
            "reason": _as_text(body.get("reason")),
        }
        return replace(item, **(stopped if entry.decision == "deny" else {}))
    took = _object(body.get("extra")).get("duration_ms")
    return replace(
        item,
        end=_ENDS[entry.event],
        end_seq=entry.seq,
        took_ms=float(took) if isinstance(took, int | float) else None,
    )


def _item(entry: Entry, body: JsonObject) -> Item:
    decided = entry.op == "decision"
    trace, duration = body.get("trace"), body.get("duration_ms")
    end = _ENDS.get(entry.event or "") if decided else None
    return Item(
        seq=entry.seq,
        ts=entry.ts,
        kind=_KINDS.get(entry.event or "", Kind.OTHER) if decided else Kind.OTHER,
        title=_title(entry, body),
        text=text_of(body),
        actor=entry.actor,
        agent=_as_text(body.get("agent_type")) or _as_text(body.get("agent_id")),
        decision=entry.decision,
        rule=rule_of(body),
        reason=_as_text(body.get("reason")),
        approval=_as_text(body.get("approval")) if decided else None,
        hooks=len(trace) if isinstance(trace, list) else 0,
        duration_ms=float(duration) if decided and isinstance(duration, int | float) else None,
        changed=body.get("updated_input") is not None,
        traced=decided,
        end=end,
        end_seq=entry.seq if end else None,
    )


def _title(entry: Entry, body: JsonObject) -> str:
    if entry.op == "approval":
        return " ".join(
            [_as_text(body.get("approval")) or "approval", _as_text(body.get("state")) or ""]
        ).rstrip()
    if entry.op != "decision":
        kind = _as_text(body.get("kind"))
        return f"{entry.op}: {kind}" if kind else entry.op
    return entry.tool or entry.event or entry.op


def text_of(body: JsonObject) -> str:
    """What an entry is about, in one line."""
    words = [call_text(str(body.get("tool") or ""), body.get("tool_input"))]
    words += [_as_text(body.get(name)) or "" for name in ("prompt", "error", "agent_type", "text", "what")]
    words += [_as_text(_object(body.get("extra")).get("trigger")) or "", _note(body)]
    found = next((word for word in words if word), "")
    line = " ".join(found.split())
    return line[:_LONGEST] + ("…" if len(line) > _LONGEST else "")


def _note(body: JsonObject) -> str:
    """Who answered a request, and their note."""
    if "approval" not in body or body.get("state") in {None, "requested"}:
        return ""
    by, note = _as_text(body.get("by")) or "", _as_text(body.get("note"))
    return f"by {by}: {note}" if note else f"by {by}"


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _as_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
