"""One session as a line of moments: prompts, calls with their ends, sub-agents, compactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec

from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.moment import EventName
from interlock.search.words import rule_of, texts_of
from interlock.tool import JsonObject

_LONGEST: Final = 300
_ENDS: Final[dict[str, str]] = {
    EventName.POST_TOOL_USE: "succeeded",
    EventName.POST_TOOL_USE_FAILURE: "failed",
    EventName.PERMISSION_DENIED: "refused by the host",
}


class Kind(StrEnum):
    """What a moment is about."""

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


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One moment of a session."""

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
    hooks: int = 0  # how many were asked
    duration_ms: float | None = None  # of the decision
    changed: bool = False  # a hook changed the input
    traced: bool = False  # there is a trace to open
    end: str | None = None  # how a call ended, where that was seen
    end_seq: int | None = None
    took_ms: float | None = None  # what the call itself took, as its host tells it


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Some moments of a session, oldest first, and where older ones end."""

    items: tuple[Item, ...]
    before: int | None


def timeline_of(
    ledger: sqlite3.Connection, session: str, *, limit: int = 200, before: int | None = None
) -> Timeline:
    """The newest moments of a session, or those before a seq."""
    entries = LedgerReader(ledger).page(Filter(session=session), limit=limit + 1, before=before)
    shown = entries[:limit]
    older = shown[-1].seq if len(entries) > limit else None
    return Timeline(items=tuple(moments(shown[::-1])), before=older)


def moments(entries: Sequence[Entry]) -> list[Item]:
    """Entries in their order, the end of a call put to its beginning where both are there."""
    found: dict[int, Item] = {}
    begun: dict[str, int] = {}  # the host's id of a call → the entry it begins with
    for entry in entries:
        body = entry.body
        use_id = body.get("tool_use_id")
        if entry.event == EventName.PRE_TOOL_USE and entry.op == "decision" and isinstance(use_id, str):
            begun[use_id] = entry.seq
        elif entry.event in _ENDS and isinstance(use_id, str) and use_id in begun:
            place = begun.pop(use_id)
            found[place] = _ended(found[place], entry, body)
            continue
        found[entry.seq] = _item(entry, body)
    return list(found.values())


def _ended(item: Item, entry: Entry, body: JsonObject) -> Item:
    took = _object(body.get("extra")).get("duration_ms")
    return msgspec.structs.replace(
        item,
        end=_ENDS.get(entry.event or ""),
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
        agent=_text(body.get("agent_type")) or _text(body.get("agent_id")),
        decision=entry.decision,
        rule=rule_of(body),
        reason=_text(body.get("reason")),
        hooks=len(trace) if isinstance(trace, list) else 0,
        duration_ms=float(duration) if decided and isinstance(duration, int | float) else None,
        changed=body.get("updated_input") is not None,
        traced=decided,
        end=end,
        end_seq=entry.seq if end else None,
    )


def _title(entry: Entry, body: JsonObject) -> str:
    if entry.op == "approval":
        return " ".join([_text(body.get("approval")) or "approval", _text(body.get("state")) or ""]).rstrip()
    if entry.op != "decision":
        kind = _text(body.get("kind"))
        return f"{entry.op}: {kind}" if kind else entry.op
    return entry.tool or entry.event or entry.op


def text_of(body: JsonObject) -> str:
    """What a moment is about, in a line."""
    given = _object(body.get("tool_input"))
    words = [next(texts_of(given), "")] if given else []
    words += [_text(body.get(name)) or "" for name in ("prompt", "error", "agent_type", "text", "what")]
    words += [_text(_object(body.get("extra")).get("trigger")) or "", _note(body)]
    found = next((word for word in words if word), "")
    line = " ".join(found.split())
    return line[:_LONGEST] + ("…" if len(line) > _LONGEST else "")


def _note(body: JsonObject) -> str:
    """Who answered a request, and what they said of it."""
    if "approval" not in body or body.get("state") in {None, "requested"}:
        return ""
    by, note = _text(body.get("by")) or "", _text(body.get("note"))
    return f"by {by}: {note}" if note else f"by {by}"


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
