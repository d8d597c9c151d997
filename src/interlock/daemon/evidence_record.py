"""What the ledger keeps of a piece of evidence: an entry of its own, with the hook that wanted it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from interlock.events.decision import Decision, TraceRow
from interlock.events.event import Event
from interlock.events.tool import JsonObject
from interlock.events.verdict import Evidence
from interlock.ledger.entry import Body, Columns

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
    for row in decision.trace if decision.evidence else ():
        if row.evidence is not None and row.evidence.ledger and not row.shadow:
            yield _record(event, row, row.evidence, redact)


def _record(event: Event, row: TraceRow, evidence: Evidence, redact: RedactText) -> EvidenceRecord:
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
