"""What becomes of a vote at a moment where the host can do only so much."""

from __future__ import annotations

from typing import Final

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.hosts.claude_code.attendance import attended
from interlock.hosts.claude_code.draft import Draft
from interlock.hosts.claude_code.moments import Moment, Refusal

_HAS_A_PROMPT: Final = frozenset({Refusal.PERMISSION, Refusal.BEHAVIOR})
_MANAGED: Final = "policy_settings"  # a change to these settings the host always takes


def settle(event: Event, decision: Decision, moment: Moment, draft: Draft) -> Vote:
    """The vote that is sent: what cannot be carried out is noted, and an allow counts only as a grant."""
    if moment.refusal is None or _unstoppable(event):
        _note_lost_vote(event, decision, draft)
        return Vote.ABSTAIN
    if decision.vote is Vote.ASK:
        return _settle_ask(event, moment, draft)
    if decision.vote is Vote.ALLOW and not decision.auto_approve:
        return Vote.ABSTAIN
    return decision.vote


def _settle_ask(event: Event, moment: Moment, draft: Draft) -> Vote:
    if moment.refusal in _HAS_A_PROMPT and attended(event):
        return Vote.ASK
    if moment.ending:
        # A no would send the agent back to do something nobody asked for.
        draft.degrade(f"nobody can be asked at {event.name}: the agent may stop")
        return Vote.ABSTAIN
    draft.degrade(f"nobody can be asked at {event.name}: refused instead")
    return Vote.DENY


def _unstoppable(event: Event) -> bool:
    return event.name == EventName.CONFIG_CHANGE and event.extra.get("source") == _MANAGED


def _note_lost_vote(event: Event, decision: Decision, draft: Draft) -> None:
    # Votes that did not count are in the trace only.
    votes = [row.vote for row in decision.trace if not row.shadow]
    wanted = max([decision.vote, *votes])
    if wanted is Vote.DENY:
        draft.degrade(f"a deny cannot stop {event.name}")
    elif wanted is Vote.ASK:
        draft.degrade(f"nobody can be asked at {event.name}")
