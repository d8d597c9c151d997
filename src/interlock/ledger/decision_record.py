"""What the ledger keeps of one decision and of the evidence its hooks collected."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from operator import is_
from typing import Any, Final, NamedTuple

import msgspec

from interlock.events.decision import OUTCOMES, Decision, TraceRow
from interlock.events.event import Event
from interlock.events.hook import PACK_SOURCE
from interlock.events.tool import JsonObject
from interlock.events.verdict import WORDS, Evidence, Outcome
from interlock.ledger.entry import Body, Columns
from interlock.redaction.redactor import KEYLESS, Redactor

RedactText = Callable[[str], str]


class EvidenceRecord(Body, frozen=True, kw_only=True, omit_defaults=True):
    """The data, the call it is about, the hook that kept it; members in the order of their names."""

    commitment_id: str | None = None
    data: JsonObject
    event: str
    hook: str
    kind: str
    matcher: str
    session_id: str
    source: str
    tool: str | None = None
    tool_use_id: str | None = None
    type: str

    @property
    def columns(self) -> Columns:
        return (self.session_id, self.event, self.tool, None)


def evidence_of(event: Event, decision: Decision, redact: RedactText) -> Iterator[EvidenceRecord]:
    """The records of everything a decision's hooks want in the ledger; a shadow changes nothing there."""
    for row in decision.trace:
        if row.evidence is not None and row.evidence.ledger and not row.shadow:
            yield _evidence_record(event, row, row.evidence, redact)


def _evidence_record(event: Event, row: TraceRow, evidence: Evidence, redact: RedactText) -> EvidenceRecord:
    tool = event.tool
    return EvidenceRecord(
        commitment_id=event.commitment_id,
        data=data_of(evidence, redact),
        event=str(event.name),
        hook=row.hook,
        kind=evidence.kind,
        matcher=row.matcher,
        session_id=event.session_id,
        source=row.source,
        tool=tool.name if tool else None,
        tool_use_id=(tool.use_id or None) if tool else None,
        type=row.type,
    )


def data_of(evidence: Evidence, redact: RedactText) -> JsonObject:
    """The data, with size and digest of each whole text; of what is left when secrets are taken out of it."""
    return {**evidence.data, **{name: _digest(text, redact) for name, text in evidence.texts.items()}}


def _digest(text: str, redact: RedactText) -> JsonObject:
    kept = redact(text)
    digest = hashlib.sha256(kept.encode("utf-8", "replace")).hexdigest()
    found: JsonObject = {"bytes": len(text.encode("utf-8", "replace")), "sha256": digest}
    return found if kept is text else {**found, "redacted": True}


_KEEP: Final = 8 * 1024  # of an output: this much of its head and as much of its tail
_MOST: Final = 256  # kinds of calls whose hooks are remembered


class TraceRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one hook did, as it is written; the members stand in the order of their names."""

    duration_ms: float = 0.0
    evidence: JsonObject | None = None  # where it is not an entry of its own
    gave: tuple[str, ...] = ()  # what else it gave or changed: context, message, prompt, output
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
    # Also what a payload claims to be: recorded, never believed.
    extra: JsonObject = msgspec.field(default_factory=dict)
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


class _Shape(NamedTuple):
    """How the trace of a call looks: which hooks were passed over."""

    rows: list[TraceRow | None]  # None: it was asked
    passed: list[bool]
    asked: list[int]  # the places of those that were asked
    names: list[str]  # what is written of all others


_shapes: Final[dict[tuple[str, str, str, str | None], _Shape]] = {}


def body_of(event: Event, decision: Decision, seconds: float, redactor: Redactor = KEYLESS) -> DecisionRecord:
    """The record of a decision; an empty text or list tells no more than none."""
    tool = event.tool
    asked, names = _parted(event, decision)
    return DecisionRecord(
        agent_id=event.agent_id or None,
        agent_type=event.agent_type or None,
        approval=decision.approval,
        auto_approve=decision.auto_approve,
        commitment_id=event.commitment_id,
        context=decision.context,
        cwd=event.cwd,
        decided_by=decision.decided_by,
        decision=OUTCOMES[decision.vote],
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
        skipped=names,
        tool=tool.name if tool else None,
        tool_input=tool.input if tool else None,
        tool_output=None if event.tool_output is None else _cut(event.tool_output, redactor),
        tool_use_id=(tool.use_id or None) if tool else None,
        trace=[_record(row, redactor) for row in asked],
        unread=decision.unread or None,
        updated_input=decision.updated_input,
    )


def _parted(event: Event, decision: Decision) -> tuple[list[TraceRow], list[str]]:
    """The rows of hooks that were asked, and what is written of the others.

    Most calls are like the last. To sort a hundred rows anew takes 40 µs and not 4, as much as a decision.
    """
    trace = decision.trace
    kind = (decision.revision, event.cwd, event.name, event.tool.name if event.tool else None)
    known = _shapes.get(kind)
    # The row of a hook that was passed over is one object for all calls, that of any other is a new one.
    if known is None or len(trace) != len(known.rows) or list(map(is_, trace, known.rows)) != known.passed:
        known = _remembered(kind, trace)
    asked = [row for place in known.asked if (row := trace[place]).outcome is not Outcome.SKIPPED]
    if len(asked) < len(known.asked):  # some were asked the last time, but not now
        known = _remembered(kind, trace)
    return asked, known.names


def _remembered(kind: tuple[str, str, str, str | None], trace: tuple[TraceRow, ...]) -> _Shape:
    passed = [row.outcome is Outcome.SKIPPED for row in trace]
    rows = [row if skipped else None for row, skipped in zip(trace, passed, strict=True)]
    asked = [place for place, skipped in enumerate(passed) if not skipped]
    shape = _Shape(rows, passed, asked, _names([row for row in rows if row is not None]))
    if len(_shapes) >= _MOST:
        _shapes.clear()
    _shapes[kind] = shape
    return shape


def _names(passed: list[TraceRow]) -> list[str]:
    # Of hooks that were not asked the name says all; whole rows would be most of every entry.
    skipped = [row.hook for row in passed if not row.source.startswith(PACK_SOURCE)]
    if len(skipped) < len(passed):
        # The rules of a pack are known by the revision: their number is enough.
        packs = Counter(row.hook.partition("/")[0] for row in passed if row.source.startswith(PACK_SOURCE))
        skipped += [f"{count} rules of {pack}" for pack, count in packs.items()]
    return skipped


def _record(row: TraceRow, redactor: Redactor) -> TraceRecord:
    kept = row.evidence
    traced = kept is not None and (row.shadow or not kept.ledger)
    return TraceRecord(
        duration_ms=row.duration_ms,
        evidence={"kind": kept.kind, "data": data_of(kept, redactor.text)} if kept and traced else None,
        gave=row.gave,
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
        vote=WORDS[row.vote],
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
