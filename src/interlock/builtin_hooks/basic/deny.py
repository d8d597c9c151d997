"""`deny`: what the matcher means must not happen."""

from __future__ import annotations

from typing import Any, Final, final

from interlock.builtin_hooks.base import Rule
from interlock.events.hook import Sight
from interlock.events.verdict import Verdict, deny


@final
class Deny(Rule):
    """Denies with a reason and, better, with what to do instead."""

    kind: Final = "deny"
    judges_carried = True

    def __init__(self, reason: str | None = None, suggestion: str | None = None) -> None:
        text = reason or "this is denied by policy"
        self._verdict: Final = deny(f"{text} Instead: {suggestion}" if suggestion else text)

    def fingerprint(self) -> Any:
        return self._verdict.reason

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return self._verdict
