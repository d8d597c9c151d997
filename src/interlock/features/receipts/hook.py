"""`record_tool_use`: every call is on record before it runs, and closed with what came of it."""

from __future__ import annotations

from typing import Any, Final, final

from interlock.events.hook import Sight
from interlock.events.names import EventName
from interlock.events.verdict import NO_OPINION, Evidence, Verdict, Vote
from interlock.features.receipts.classification.book import CallNote, Earlier
from interlock.features.receipts.classification.classes import Repeat, Replay
from interlock.features.receipts.classification.classify import is_shell
from interlock.features.receipts.hook_base import Recording
from interlock.features.receipts.side_effects import side_effects

DETECTED: Final = "Idempotent tool call detected."
_VOTES: Final = {Repeat.DENY: Vote.DENY, Repeat.ASK: Vote.ASK}


@final
class RecordToolUse(Recording):
    """Prepares before a call, closes after it; a repeat is denied or asked about where the policy says so."""

    kind: Final = "record_tool_use"

    def fingerprint(self) -> Any:
        return [str(self._repeat), str(self._scope)]

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        event = sight.event
        if event.tool is None:
            return NO_OPINION
        if event.name != EventName.PRE_TOOL_USE:
            self._book.close(self._note(sight, event.tool))
            return NO_OPINION
        effects = side_effects(sight) if is_shell(event.tool.name) else {}
        note = self._note(sight, event.tool, effects)
        return self._judged(note, self._book.prepare(note))

    def _judged(self, note: CallNote, earlier: Earlier | None) -> Verdict:
        evidence = _intent(note)
        if earlier is None or note.call.replay is not Replay.EXACT or self._repeat is Repeat.ALLOW:
            return Verdict(evidence=evidence)
        return Verdict(vote=_VOTES[self._repeat], reason=_reason(earlier), evidence=evidence)


def _intent(note: CallNote) -> Evidence:
    """What the call was taken for, in the trace of its decision."""
    call = note.call
    told = f"{call.matched} {call.rule}".strip()
    data = {"side_effect": str(call.effect), "replay": str(call.replay), "told_by": told}
    return Evidence(kind="tool_call", data=data, ledger=False)


def _reason(earlier: Earlier) -> str:
    if earlier.status == "succeeded":
        receipt = f" Its receipt: {earlier.receipt}" if earlier.receipt else ""
        when = f" at {earlier.at}" if earlier.at else ""
        return f"{DETECTED} This exact call succeeded{when} ({earlier.name}).{receipt}"
    if not earlier.name:
        return f"{DETECTED} The same call is being decided at this moment; wait for its end."
    when = f" at {earlier.at}" if earlier.at else ""
    return (
        f"{DETECTED} This exact call began{when} ({earlier.name}) and its end is not known: it may have "
        "happened. Look whether it took effect; a person can settle it with "
        f"`interlock receipts resolve {earlier.name} --succeeded`, `--failed` or `--retry`."
    )
