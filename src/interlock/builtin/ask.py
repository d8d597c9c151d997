"""`ask`: what the matcher means needs a person's word."""

from __future__ import annotations

from typing import Any, Final, final

from interlock.builtin.rule import Rule
from interlock.hooks import Sight
from interlock.verdict import Verdict, ask


@final
class Ask(Rule):
    """Asks with a reason and, better, with what needs no asking."""

    kind: Final = "ask"

    def __init__(self, reason: str | None = None, suggestion: str | None = None) -> None:
        text = reason or "this needs a person's approval by policy"
        self._verdict: Final = ask(f"{text} Instead: {suggestion}" if suggestion else text)

    def fingerprint(self) -> Any:
        return self._verdict.reason

    def run(self, sight: Sight, seconds: float) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return self._verdict
