"""What the ledger keeps of one decision."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import msgspec

from interlock.decision import Decision, TraceRow
from interlock.event import Event
from interlock.tool import JsonObject
from interlock.verdict import Outcome

# `extra` is also what a payload claims to be: recorded, never believed.
_OF_EVENT: Final = ("project", "agent_id", "agent_type", "permission_mode", "error", "prompt", "extra")
_OF_DECISION: Final = (
    "reason",
    "decided_by",
    "context",
    "messages",
    "evidence",
    "auto_approve",
    "degraded",
    "unread",
    "open_passes",
)
_KEEP: Final = 8 * 1024  # of an output: this much of its head and as much of its tail


def body_of(event: Event, decision: Decision, *, seconds: float) -> JsonObject:
    """The event, what was decided and every vote, without empty fields."""
    body: JsonObject = {
        "event": event.name,
        "host": event.host,
        "session_id": event.session_id,
        "cwd": event.cwd,
        "decision": decision.outcome,
        "revision": decision.revision,
        "duration_ms": round(seconds * 1000, 3),
    }
    if event.tool is not None:
        body["tool"] = event.tool.name
        body["tool_input"] = event.tool.input
        if event.tool.use_id:
            body["tool_use_id"] = event.tool.use_id
    _add_said(body, event, decision)
    if event.tool_output is not None:
        body["tool_output"] = _cut(event.tool_output)
    if decision.updated_input is not None:
        body["updated_input"] = decision.updated_input
    _add_trace(body, decision.trace)
    return body


def _add_said(body: JsonObject, event: Event, decision: Decision) -> None:
    """Add what is often not there; an empty text or list tells no more than none."""
    for name in _OF_EVENT:
        if value := getattr(event, name):
            body[name] = value
    for name in _OF_DECISION:
        if value := getattr(decision, name):
            body[name] = value


def _add_trace(body: JsonObject, trace: tuple[TraceRow, ...]) -> None:
    asked, skipped = [], []
    for row in trace:
        if row.outcome is Outcome.SKIPPED:
            skipped.append(row.hook)
        else:
            asked.append(_row(row))
    if asked:
        body["trace"] = asked
    if skipped:
        # Of hooks that were not asked the name says all; whole rows would be most of every entry.
        body["skipped"] = skipped


def _row(row: TraceRow) -> JsonObject:
    built: JsonObject = msgspec.to_builtins(row)
    built["vote"] = str(row.vote)
    return {key: value for key, value in built.items() if value not in (None, False)}


def _cut(output: Any) -> Any:
    """An output whole, or its head, tail and digest."""
    if output is None:
        return None
    data = msgspec.json.encode(output)
    if len(data) <= 2 * _KEEP:
        return output
    return {
        "head": data[:_KEEP].decode("utf-8", "replace"),
        "tail": data[-_KEEP:].decode("utf-8", "replace"),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
