"""What the ledger keeps of one decision."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import msgspec

from interlock.decision import Decision, TraceRow
from interlock.event import Event
from interlock.tool import JsonObject

_KEEP: Final = 8 * 1024  # of an output: this much of its head and as much of its tail


def body_of(event: Event, decision: Decision, *, seconds: float) -> JsonObject:
    """The event, what was decided and every vote, without empty fields."""
    body: JsonObject = {
        "event": event.name,
        "host": event.host,
        "session_id": event.session_id,
        "cwd": event.cwd,
        "agent_id": event.agent_id,
        "agent_type": event.agent_type,
        "permission_mode": event.permission_mode,
        "tool": event.tool.name if event.tool else None,
        "tool_input": event.tool.input if event.tool else None,
        "tool_use_id": event.tool.use_id if event.tool else None,
        "tool_output": _cut(event.tool_output),
        "error": event.error,
        "prompt": event.prompt,
        "extra": event.extra or None,  # also what the payload claims to be: recorded, never believed
        "decision": decision.outcome,
        "reason": decision.reason,
        "decided_by": decision.decided_by,
        "updated_input": decision.updated_input,
        "context": list(decision.context),
        "messages": list(decision.messages),
        "evidence": msgspec.to_builtins(decision.evidence),
        "auto_approve": decision.auto_approve or None,
        "degraded": list(decision.degraded),
        "unread": decision.unread,
        "open_passes": decision.open_passes or None,
        "revision": decision.revision,
        "duration_ms": round(seconds * 1000, 3),
        "trace": [_row(row) for row in decision.trace],
    }
    return {key: value for key, value in body.items() if value not in (None, [], ())}


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
