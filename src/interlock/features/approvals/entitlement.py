"""May this person say yes to this call?"""

from __future__ import annotations

from interlock.events.actor import in_words
from interlock.events.event import Event
from interlock.events.tool import ToolTable
from interlock.features.approvals.covering import within
from interlock.features.approvals.request import Approvers
from interlock.features.approvals.rules import ApprovalRules, Scopes


def objection(
    person: str, event: Event, approvers: Approvers, rules: ApprovalRules, tools: ToolTable
) -> str | None:
    """Why not, or None: by the names the asking hooks gave, then by the settings of each layer."""
    for names in approvers:
        if person not in names:
            return f"{person} may not answer this, only {in_words(names)} may"
    for scopes in rules.scopes:
        found = _outside(person, event, scopes, tools)
        if found is not None:
            return found
    return None


def _outside(person: str, event: Event, scopes: Scopes, tools: ToolTable) -> str | None:
    if person not in scopes:
        return f"{person} is not among the approvers of the policy ({', '.join(scopes)})"
    patterns = scopes[person]
    if patterns is None or within(patterns, event, tools):
        return None
    listed = ", ".join(f"`{pattern.text}`" for pattern in patterns) or "nothing"
    return f"this call is outside of what {person} may approve ({listed})"
