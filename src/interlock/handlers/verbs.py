"""The six verbs of an answer: three vote, three do not, and each may carry only what it says."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.errors import HookFailedError
from interlock.events.verdict import Verdict, Vote
from interlock.handlers.answer_fields import garbage

# `pass` is no opinion, `inject` gives the model or the call something, `annotate` only leaves a note.
VERBS: Final = {
    "allow": Vote.ALLOW,
    "deny": Vote.DENY,
    "ask": Vote.ASK,
    "pass": Vote.ABSTAIN,
    "inject": Vote.ABSTAIN,
    "annotate": Vote.ABSTAIN,
}
LISTED: Final = "`allow`, `deny`, `ask`, `pass`, `inject` or `annotate`"


def kept_to(verb: str, verdict: Verdict) -> Verdict:
    """The verdict, when it says no more and no less than its verb; else raise HookFailedError.

    Whoever answers `pass` with a new input means one of the two, and nobody can tell which.
    """
    given, noted = _gives(verdict), verdict.evidence is not None
    if verb == "inject" and not given:
        raise _unfit(verb, "carries neither a text for the model nor a change", "`pass` to say nothing")
    if verb == "annotate" and not noted:
        raise _unfit(verb, "carries no note", "an object with `kind` and what was seen")
    if verb in {"pass", "annotate"} and given:
        raise _unfit(verb, "carries a text for the model or a change", "`inject` to give it")
    if verb == "pass" and noted:
        raise _unfit(verb, "carries a note", "`annotate` to leave it")
    return verdict


def _gives(verdict: Verdict) -> bool:
    return (
        verdict.context is not None
        or verdict.updated_input is not None
        or verdict.updated_prompt is not None
        or verdict.updated_output is not msgspec.UNSET
    )


def _unfit(verb: str, what: str, expected: str) -> HookFailedError:
    return garbage(f"the answer `{verb}` {what}, expected {expected}")
