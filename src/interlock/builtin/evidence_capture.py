"""`evidence_capture`: which calls leave evidence, and of what kind."""

from __future__ import annotations

from typing import Any, Final, final

from interlock.builtin.rule import Rule
from interlock.hooks import Sight
from interlock.verdict import NO_OPINION, Verdict


@final
class EvidenceCapture(Rule):
    """Marks a call for evidence; it never votes. Keeping more than the ledger does is not built yet."""

    kind: Final = "evidence_capture"

    def __init__(self, kind: str, *, ledger: bool = True) -> None:
        self._kind: Final = kind
        self._ledger: Final = ledger

    @property
    def judges(self) -> bool:
        """Evidence is no opinion."""
        return False

    def fingerprint(self) -> Any:
        return [self._kind, self._ledger]

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return NO_OPINION
