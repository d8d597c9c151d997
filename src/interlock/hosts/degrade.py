"""What becomes of a vote at an event where a host can do only so much."""

from __future__ import annotations

from collections.abc import Callable

from interlock.events.decision import Decision
from interlock.events.verdict import Vote

Note = Callable[[str], None]  # takes one short sentence about what the host cannot carry out


def possible_vote(
    event_name: str, decision: Decision, *, can_stop: bool, can_ask: bool, ending: bool, note: Note
) -> Vote:
    """The vote that is sent: what cannot be carried out is noted, and an allow counts only as a grant.

    `ending`: a no sends the agent back to work.
    """
    if not can_stop:
        _note_lost_vote(event_name, decision, note)
        return Vote.ABSTAIN
    if decision.vote is Vote.ALLOW and not decision.auto_approve:
        return Vote.ABSTAIN
    if decision.vote is not Vote.ASK or can_ask:
        return decision.vote
    if ending:
        # A no would send the agent back to do something nobody asked for.
        note(f"nobody can be asked at {event_name}: the agent may stop")
        return Vote.ABSTAIN
    note(f"nobody can be asked at {event_name}: denied instead")
    return Vote.DENY


def _note_lost_vote(event_name: str, decision: Decision, note: Note) -> None:
    # Votes that did not count are in the trace only.
    wanted = max([decision.vote, *(row.vote for row in decision.trace if not row.shadow)])
    if wanted is Vote.DENY:
        note(f"a deny cannot stop {event_name}")
    elif wanted is Vote.ASK:
        note(f"nobody can be asked at {event_name}")
