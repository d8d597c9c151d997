"""What the ledger keeps of one decision."""

from __future__ import annotations

import hashlib
from collections import Counter
from operator import is_
from typing import Any, Final, NamedTuple

import msgspec

from interlock.daemon.evidence_record import data_of
from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.source import PACK_SOURCE
from interlock.events.tool import JsonObject
from interlock.events.verdict import WORDS, Outcome
from interlock.ledger.entry import Body, Columns
from interlock.redaction.redactor import KEYLESS, Redactor

_SKIPPED: Final = Outcome.SKIPPED
_PACK: Final = len(PACK_SOURCE)
_KEEP: Final = 8 * 1024  # of an output: this much of its head and as much of its tail
_MOST: Final = 256  # kinds of calls whose hooks are remembered


def _missing() -> Any:
    raise TypeError("a record lacks a member that every one has")


# Records are made by position: by name, each member is looked for among all, ten times the work. So every
# member needs a default, also those in the middle that are always given and always written.
_ALWAYS: Final[Any] = msgspec.field(default_factory=_missing)


class TraceRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one hook did, as it is written; the members stand in the order of their names."""

    duration_ms: float = 0.0
    evidence: JsonObject | None = None  # where it is not an entry of its own
    gave: tuple[str, ...] = ()  # what else it gave or changed: context, message, prompt, output
    hook: str = _ALWAYS
    matcher: str = _ALWAYS
    outcome: Outcome = _ALWAYS
    passed_open: bool = False
    reason: str | None = None
    rejudged: bool = False
    shadow: bool = False
    source: str = _ALWAYS
    type: str = _ALWAYS
    updated_input: JsonObject | None = None
    vote: str = _ALWAYS


class DecisionRecord(Body, frozen=True, omit_defaults=True):
    """The event, what was decided and every vote; an empty field is not written."""

    agent_id: str | None = None
    agent_type: str | None = None
    approval: str | None = None  # the request or grant an ask was settled by
    auto_approve: bool = False
    commitment_id: str | None = None
    context: tuple[str, ...] = ()
    cwd: str = _ALWAYS
    decided_by: str | None = None
    decision: str = _ALWAYS
    degraded: tuple[str, ...] = ()
    duration_ms: float = _ALWAYS
    error: str | None = None
    event: str = _ALWAYS
    extra: JsonObject = msgspec.field(
        default_factory=dict
    )  # also what a payload claims to be: recorded, never believed
    host: str = _ALWAYS
    messages: tuple[str, ...] = ()
    open_passes: int = 0
    parent_actor: str | None = None
    permission_mode: str | None = None
    project: str | None = None
    prompt: str | None = None
    reason: str | None = None
    revision: str = _ALWAYS
    session_id: str = _ALWAYS
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
        event.agent_id or None,
        event.agent_type or None,
        decision.approval,
        decision.auto_approve,
        event.commitment_id,
        decision.context,
        event.cwd,
        decision.decided_by,
        decision.outcome,
        decision.degraded,
        round(seconds * 1_000_000) / 1000,  # a third of the time that rounding to three digits takes
        event.error or None,
        str(event.name),
        event.extra,
        event.host,
        decision.messages,
        decision.open_passes,
        event.parent_actor or None,
        event.permission_mode or None,
        event.project or None,
        event.prompt or None,
        decision.reason or None,
        decision.revision,
        event.session_id,
        names,
        tool.name if tool else None,
        tool.input if tool else None,
        None if event.tool_output is None else _cut(event.tool_output, redactor),
        (tool.use_id or None) if tool else None,
        [_record(row, redactor) for row in asked],
        decision.unread or None,
        decision.updated_input,
    )


def _parted(event: Event, decision: Decision) -> tuple[list[TraceRow], list[str]]:
    """The rows of hooks that were asked, and what is written of the others: most calls are like the last."""
    trace = decision.trace
    kind = (decision.revision, event.cwd, event.name, event.tool.name if event.tool else None)
    known = _shapes.get(kind)
    # The row of a hook that was passed over is one object for all calls, that of any other is a new one.
    if known is None or len(trace) != len(known.rows) or list(map(is_, trace, known.rows)) != known.passed:
        known = _remembered(kind, trace)
    asked = [row for place in known.asked if (row := trace[place]).outcome is not _SKIPPED]
    if len(asked) < len(known.asked):  # some were asked the last time, but not now
        known = _remembered(kind, trace)
    return asked, known.names


def _remembered(kind: tuple[str, str, str, str | None], trace: tuple[TraceRow, ...]) -> _Shape:
    passed = [row.outcome is _SKIPPED for row in trace]
    rows = [row if skipped else None for row, skipped in zip(trace, passed, strict=True)]
    asked = [place for place, skipped in enumerate(passed) if not skipped]
    shape = _Shape(rows, passed, asked, _names([row for row in rows if row is not None]))
    if len(_shapes) >= _MOST:
        _shapes.clear()
    _shapes[kind] = shape
    return shape


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
        row.duration_ms,
        {"kind": kept.kind, "data": data_of(kept, redactor.text)} if kept and traced else None,
        row.gave,
        row.hook,
        row.matcher,
        row.outcome,
        row.passed_open,
        row.reason,
        row.rejudged,
        row.shadow,
        row.source,
        row.type,
        row.updated_input,
        WORDS[row.vote],
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
