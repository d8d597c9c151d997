"""`hooks.permissionRequest`: the host is about to ask a person whether a tool may be called."""

from __future__ import annotations

from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import PermissionRequestInput
from interlock.features.work.results import PermissionRequestResult


def permission_request(case: Case[PermissionRequestInput]) -> Answer:
    """The agent waits; people hear of it by the notification that follows where nobody answers at once."""
    return Answer(result=PermissionRequestResult(agent_updated=case.mark("attention")))
