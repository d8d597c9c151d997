"""What the agent and the person are told about a decision."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.verdict import Vote

_NO_REASON: Final = "the policy gives no reason"
_NOBODY: Final = "a person has to approve this, and nobody can be asked here"


def reason_of(decision: Decision) -> str:
    """Why not, in the words of the policy."""
    reason = decision.reason or _NO_REASON
    return reason if decision.denied else f"{reason}; {_NOBODY}"


def denial_of(decision: Decision, event_name: str) -> str:
    """Why not, as the agent reads it: what was refused comes first."""
    denied = msgspec.structs.replace(decision, vote=Vote.DENY, reason=reason_of(decision), event=event_name)
    return denied.feedback or ""


def question_of(decision: Decision) -> str:
    """What the person is asked about."""
    return decision.reason or "the policy wants a person to decide"


def prompt_as_context(prompt: str) -> str:
    """A changed prompt, for a host that sends the original all the same."""
    return f"The policy reads the prompt as:\n{prompt}"
