"""`approval_gate`: which work waits for a person, and for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from interlock.builtin.rule import Rule
from interlock.hooks import Condition, Sight
from interlock.verdict import NO_OPINION, Verdict


@final
class ApprovalGate(Rule):
    """Holds its condition and approvers; it abstains until approvals can be asked for and recorded."""

    kind: Final = "approval_gate"

    def __init__(self, condition: Condition | None, approvers: Sequence[str] = ()) -> None:
        self._condition: Final = condition
        self._approvers: Final = tuple(approvers)

    def fingerprint(self) -> Any:
        return [self._condition.text if self._condition else None, list(self._approvers)]

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return NO_OPINION
