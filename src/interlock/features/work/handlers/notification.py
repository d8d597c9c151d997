"""`hooks.notification`: the host wants a person's attention."""

from __future__ import annotations

from typing import Final

from interlock.features.work.agent_notice import Happening, Kind
from interlock.features.work.event_context import Answer, Case
from interlock.features.work.inputs import NotificationInput
from interlock.features.work.results import NotificationResult

# The others only report: somebody signed in, a dialog was answered, an agent in the background is done.
WAITING: Final = frozenset(
    {"permission_prompt", "idle_prompt", "elicitation_dialog", "elicitation_url_dialog", "agent_needs_input"}
)


def notification(case: Case[NotificationInput]) -> Answer:
    """An agent that waits for somebody says so."""
    given = case.given
    if given.notification_type not in WAITING:
        return Answer(result=NotificationResult())
    updated = case.mark("attention")
    case.means.announce(
        Happening(
            kind=Kind.ATTENTION,
            agent=case.agent_id,
            label=case.label,
            session_id=given.session_id,
            text=case.means.redact(
                given.message or given.title or "it waits for you"
            ),  # it may leave the machine
            notify=case.rules.notify,
        )
    )
    return Answer(result=NotificationResult(agent_updated=updated))
