"""`deny` and `ask`: what the matcher means must not happen, or needs a person's word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from interlock.builtin_hooks.base import Rule
from interlock.events.hook import CallView
from interlock.events.verdict import Verdict, Vote, deny


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

    def run(self, view: CallView, seconds: float) -> Verdict:
        return self._verdict


@final
class Ask(Rule):
    """Asks with a reason and, better, with what needs no asking."""

    kind: Final = "ask"
    judges_carried = True

    def __init__(
        self, reason: str | None = None, suggestion: str | None = None, approvers: Sequence[str] = ()
    ) -> None:
        text = reason or "this needs a person's approval by policy"
        shown = f"{text} Instead: {suggestion}" if suggestion else text
        self._verdict: Final = Verdict(vote=Vote.ASK, reason=shown, approvers=tuple(approvers))

    def fingerprint(self) -> Any:
        named = list(self._verdict.approvers)
        return [self._verdict.reason, named] if named else self._verdict.reason

    def run(self, view: CallView, seconds: float) -> Verdict:
        return self._verdict
