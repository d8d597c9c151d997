"""Asks that the policy itself has answered: the grants of `settings.projects`, read as narrowly as can be."""

from __future__ import annotations

import os
from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolTable
from interlock.events.verdict import Vote
from interlock.features.approvals.rules import APPROVAL
from interlock.features.approvals.standing_grants import STANDING_GRANTS
from interlock.patterns.covered_call import covered
from interlock.policy.settings_part import HasSettings

POLICY: Final = "policy"  # what settled the ask, in a decision's record


def standing_answer(
    event: Event, decision: Decision, policy: HasSettings, tools: ToolTable
) -> Decision | None:
    """The ask as an allow, where grants of its folder and actor cover the whole call; None where they do not.

    Where anybody is named who must say yes, a line in a file is not enough.
    """
    grants = STANDING_GRANTS.of(policy)
    if not grants or decision.vote is not Vote.ASK or decision.approvers or APPROVAL.of(policy).scopes:
        return None
    final = event if decision.updated_input is None else event.with_input(decision.updated_input)
    here = os.path.realpath(event.cwd) if event.cwd else ""
    own = [grant for grant in grants if grant.folder == here and grant.actor == event.actor]
    if not own or not covered(final, [grant.pattern for grant in own], tools):
        return None
    places = ", ".join(dict.fromkeys(grant.source for grant in own[:1]))
    return msgspec.structs.replace(
        decision, vote=Vote.ALLOW, reason=f"granted for this folder in {places}", approval=POLICY
    )
