"""What the ledger keeps of one decision."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any, Final

import msgspec

from interlock.daemon.evidence import data_of
from interlock.decision import Decision, TraceRow
from interlock.event import Event
from interlock.ledger.entry import Body, Columns
from interlock.redaction.redactor import KEYLESS, Redactor
from interlock.source import PACK_SOURCE
from interlock.tool import JsonObject
from interlock.verdict import Outcome

_SKIPPED: Final = Outcome.SKIPPED
_PACK: Final = len(PACK_SOURCE)
_KEEP: Final = 8 * 1024  # of an output: this much of its head and as much of its tail
_MOST: Final = 64  # revisions, and numbers of hooks passed over, whose names are remembered
_named: Final[dict[tuple[str, int], tuple[list[TraceRow], list[str]]]] = {}


class TraceRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one hook did, as it is written; the members stand in the order of their names."""

    duration_ms: float = 0.0
    evidence: JsonObject | None = None  # where it is no entry of its own
    hook: str
    matcher: str
    outcome: Outcome
    passed_open: bool = False
    reason: str | None = None
    rejudged: bool = False
    shadow: bool = False
    source: str
    type: str
    updated_input: JsonObject | None = None
    vote: str


class DecisionRecord(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The event, what was decided and every vote; an empty field is not written."""

    agent_id: str | None = None
    agent_type: str | None = None
    approval: str | None = None  # the request or grant an ask was settled by
    auto_approve: bool = False
    commitment_id: str | None = None
    context: tuple[str, ...] = ()
    cwd: str
    decided_by: str | None = None
    decision: str
    degraded: tuple[str, ...] = ()
    duration_ms: float
    error: str | None = None
    event: str
    extra: JsonObject = msgspec.field(
        default_factory=dict
    )  # also what a payload claims to be: recorded, never believed
    host: str
    messages: tuple[str, ...] = ()
    open_passes: int = 0
    parent_actor: str | None = None
    permission_mode: str | None = None
    project: str | None = None
    prompt: str | None = None
    reason: str | None = None
    revision: str
    session_id: str
    skipped: list[str] = msgspec.field(default_factory=list)
    tool: str | None = None
    tool_input: JsonObject | None = None
    tool_output: Any = None
    tool_use_id: str | None = None
    trace: list[TraceRecord] = msgspec.field(default_factory=list)
    unread: str | None = None
    updated_input: JsonObject | None = None

    @property
    def columns(self) -> Columns:
        return (self.session_id, self.event, self.tool, self.decision)


def body_of(
    event: Event, decision: Decision, *, seconds: float, redactor: Redactor = KEYLESS
) -> DecisionRecord:
    """The record of a decision; an empty text or list tells no more than none."""
    tool = event.tool
    asked: list[TraceRecord] = []
    passed: list[TraceRow] = []
    for row in decision.trace:
        if row.outcome is _SKIPPED:
            passed.append(row)
        else:
            asked.append(_record(row, redactor))
    return DecisionRecord(
        agent_id=event.agent_id or None,
        agent_type=event.agent_type or None,
        approval=decision.approval,
        auto_approve=decision.auto_approve,
        commitment_id=event.commitment_id,
        context=decision.context,
        cwd=event.cwd,
        decided_by=decision.decided_by,
        decision=decision.outcome,
        degraded=decision.degraded,
        duration_ms=round(seconds * 1000, 3),
        error=event.error or None,
        event=str(event.name),
        extra=event.extra,
        host=event.host,
        messages=decision.messages,
        open_passes=decision.open_passes,
        parent_actor=event.parent_actor or None,
        permission_mode=event.permission_mode or None,
        project=event.project or None,
        prompt=event.prompt or None,
        reason=decision.reason or None,
        revision=decision.revision,
        session_id=event.session_id,
        skipped=_names_of(passed, decision.revision) if passed else [],
        tool=tool.name if tool else None,
        tool_input=tool.input if tool else None,
        tool_output=None if event.tool_output is None else _cut(event.tool_output, redactor),
        tool_use_id=(tool.use_id or None) if tool else None,
        trace=asked,
        unread=decision.unread or None,
        updated_input=decision.updated_input,
    )


def _names_of(passed: list[TraceRow], revision: str) -> list[str]:
    """What is written of the hooks that were not asked: most calls of a revision pass over the same ones."""
    known, names = _named.get((revision, len(passed)), (None, []))
    if known != passed:
        names = _names(passed)
        if len(_named) >= _MOST:
            _named.clear()
        _named[revision, len(passed)] = passed, names
    return names


def _names(passed: list[TraceRow]) -> list[str]:
    # Of hooks that were not asked the name says all; whole rows would be most of every entry.
    skipped = [row.hook for row in passed if row.source[:_PACK] != PACK_SOURCE]
    if len(skipped) < len(passed):
        # The rules of a pack are known by the revision: their number is enough.
        packs = Counter(row.hook.partition("/")[0] for row in passed if row.source[:_PACK] == PACK_SOURCE)
        skipped += [f"{count} rules of {pack}" for pack, count in packs.items()]
    return skipped


def _record(row: TraceRow, redactor: Redactor) -> TraceRecord:
    kept = row.evidence
    traced = kept is not None and (row.shadow or not kept.ledger)
    return TraceRecord(
        duration_ms=row.duration_ms,
        evidence={"kind": kept.kind, "data": data_of(kept, redactor.text)} if kept and traced else None,
        hook=row.hook,
        matcher=row.matcher,
        outcome=row.outcome,
        passed_open=row.passed_open,
        reason=row.reason,
        rejudged=row.rejudged,
        shadow=row.shadow,
        source=row.source,
        type=row.type,
        updated_input=row.updated_input,
        vote=str(row.vote),
    )


def _cut(output: Any, redactor: Redactor) -> Any:
    """An output whole, or its head, tail and digest."""
    data = msgspec.json.encode(output)
    if len(data) <= 2 * _KEEP:
        return output
    # Before it is cut, or half a secret would be none that anybody knows; and the digest would give it away.
    kept = redactor.body(data)
    return {
        "head": kept[:_KEEP].decode("utf-8", "replace"),
        "tail": kept[-_KEEP:].decode("utf-8", "replace"),
        "bytes": len(data),
        "sha256": hashlib.sha256(kept).hexdigest(),
    }
