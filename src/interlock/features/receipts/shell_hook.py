"""`check_bash_side_effects`: what a shell command would change is on record before it runs."""

from __future__ import annotations

from typing import Any, Final, final

from interlock.events.hook import Sight
from interlock.events.names import EventName
from interlock.events.verdict import NO_OPINION, Evidence, Verdict
from interlock.features.receipts.classification.classify import is_shell
from interlock.features.receipts.hook_base import Recording
from interlock.features.receipts.side_effects import side_effects


@final
class CheckBashSideEffects(Recording):
    """Logs the intent of a command that leaves a mark; any other call is none of its business."""

    kind: Final = "check_bash_side_effects"

    def fingerprint(self) -> Any:
        return str(self._scope)

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        event = sight.event
        if event.tool is None or not is_shell(event.tool.name):
            return NO_OPINION
        effects = side_effects(sight)
        if not effects:
            return NO_OPINION
        note = self._note(sight, event.tool, effects)
        if event.name != EventName.PRE_TOOL_USE:
            self._book.close(note)
            return NO_OPINION
        self._book.prepare(note)
        data = {**effects, "side_effect": str(note.call.effect)}
        return Verdict(evidence=Evidence(kind="side_effects", data=data, ledger=False))
