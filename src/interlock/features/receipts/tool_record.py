"""A recorded call as a program reads it: what went in, what came back, how long it took, how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.receipts.call import RecordedCall
from interlock.features.receipts.register import Receipt


class ToolRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One call; a text that is too long to be kept whole has a line where something was left out."""

    name: str  # tc_…
    session_id: str
    tool: str
    input: Any
    output: Any
    status: str  # prepared, running, succeeded or failed
    error: str | None
    duration_ms: float | None
    started_at: str
    updated_at: str
    use_id: str | None
    actor: str
    project: str
    effects: JsonObject


def record_of(call: RecordedCall, receipts: Sequence[Receipt]) -> ToolRecord:
    """A call with its texts."""
    texts = {one.kind: _value(one) for one in receipts}
    return ToolRecord(
        name=call.name,
        session_id=call.session_id,
        tool=call.tool,
        input=texts.get("request"),
        output=texts.get("response"),
        status=call.status,
        error=call.error_detail or call.error_code,
        duration_ms=call.duration_ms,
        started_at=call.created_at,
        updated_at=call.updated_at,
        use_id=call.use_id,
        actor=call.actor,
        project=call.project,
        effects=call.effects,
    )


def _value(receipt: Receipt) -> Any:
    return receipt.text if receipt.tail else msgspec.json.decode(receipt.head)
