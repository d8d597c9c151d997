"""One recorded call, as a row of its table."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.receipts.classification.classes import Replay, SideEffect

PREFIX: Final = "tc_"
OPEN: Final = frozenset({"prepared", "running"})
MOST_ATTEMPTS: Final = 2


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A row in the order in which the statements give its columns."""

    id: int
    name: str
    run: str
    session_id: str
    use_id: str | None
    project: str
    actor: str
    tool: str
    namespace: str
    side_effect: SideEffect
    replay: Replay
    replay_status: str | None  # `retry`: a person lets it run once more
    matched: str | None
    rule: str | None
    arguments: str
    idempotency_key: str
    call_key: str
    status: str
    attempt: int
    created_at: str
    updated_at: str
    duration_ms: float | None
    error_code: str | None
    error_detail: str | None
    summary: str
    effects: JsonObject
    waits: bool  # for a person to look
    resolved_by: str | None
    note: str | None
    step: str | None  # the step of its session, `st_…`; None: nobody saw it begin

    @property
    def unfinished(self) -> bool:
        """Whether nobody has seen its end."""
        return self.status in OPEN


def call_of(row: tuple[Any, ...]) -> RecordedCall:
    """A call as the database gives it."""
    fields = dict(zip(RecordedCall.__struct_fields__, row, strict=True))
    return RecordedCall(
        **{
            **fields,
            "side_effect": SideEffect(fields["side_effect"]),
            "replay": Replay(fields["replay"]),
            "effects": msgspec.json.decode(fields["effects"]),
            "waits": bool(fields["waits"]),
        }
    )
