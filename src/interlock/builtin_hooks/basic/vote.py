"""`deny` and `ask`: what the matcher means must not happen, or needs a person's word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from interlock.builtin_hooks.great_losses import ONLY_THE_USER
from interlock.events.hook import CallView, Handler
from interlock.events.rule import Rule
from interlock.events.verdict import Verdict, Vote, deny
from interlock.policy.format.entry import Approvers, Text
from interlock.policy.hook_kind import BuildContext, Builtin, VoteWord


@final
class Deny(Rule):
    """Denies with a reason and, better, with what to do instead; `who` says who could do it all the same."""

    kind: Final = "deny"
    judges_carried = True

    def __init__(self, reason: str | None = None, suggestion: str | None = None, who: str = "") -> None:
        text = reason or "your policy denies this"
        text = f"{text} Instead: {suggestion}" if suggestion else text
        self._verdict: Final = deny(f"{text}. {who}" if who else text)

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
        text = reason or "your policy asks for a person's approval"
        shown = f"{text} Instead: {suggestion}" if suggestion else text
        self._verdict: Final = Verdict(vote=Vote.ASK, reason=shown, approvers=tuple(approvers))

    def fingerprint(self) -> Any:
        named = list(self._verdict.approvers)
        return [self._verdict.reason, named] if named else self._verdict.reason

    def run(self, view: CallView, seconds: float) -> Verdict:
        return self._verdict


Reason = Annotated[Text, Meta(description="Why. The agent reads it.")]
Suggestion = Annotated[Text, Meta(description="What to do instead; added as `Instead: …`.")]


class DenyConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why, and what to do instead."""

    reason: Reason | UnsetType = UNSET
    suggestion: Suggestion | UnsetType = UNSET


def _make_deny(options: DenyConfig, context: BuildContext) -> Handler:
    # The author of a policy says what they want said.
    return Deny(options.reason or None, options.suggestion or None, ONLY_THE_USER if context.shipped else "")


def _reword_deny(options: DenyConfig, word: VoteWord) -> tuple[str, msgspec.Struct]:
    if word == "deny":
        return "deny", options
    return "ask", AskConfig(reason=options.reason, suggestion=options.suggestion)


DENY: Final = Builtin(
    kind="deny",
    about="Denies every call that matches.",
    options=DenyConfig,
    make=_make_deny,
    votes=True,
    tightens=True,
    reword=_reword_deny,
)


class AskConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why, what to do instead, and who may say yes."""

    reason: Reason | UnsetType = UNSET
    suggestion: Suggestion | UnsetType = UNSET
    approvers: Approvers = []


def _make_ask(options: AskConfig, context: BuildContext) -> Handler:
    approvers = context.approvers(options.approvers)
    return Ask(options.reason or None, options.suggestion or None, approvers)


def _reword_ask(options: AskConfig, word: VoteWord) -> tuple[str, msgspec.Struct]:
    if word == "ask":
        return "ask", options
    return "deny", DenyConfig(reason=options.reason, suggestion=options.suggestion)


ASK: Final = Builtin(
    kind="ask",
    about="Asks a person about every call that matches.",
    options=AskConfig,
    make=_make_ask,
    votes=True,
    tightens=True,
    reword=_reword_ask,
)
