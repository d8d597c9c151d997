"""The word for a decision, the same on every page."""

from __future__ import annotations

from typing import Any, Final

from interlock.events.decision import needs_approval
from interlock.events.tool import JsonObject

NEEDS_APPROVAL: Final = "needs approval"


def decision_word(decision: Any, body: JsonObject) -> str:
    """The decision; of a call that was denied until somebody approves it, that."""
    word = str(decision or "")
    if word == "deny" and needs_approval(body.get("approval"), body.get("reason")):
        return NEEDS_APPROVAL
    return word
