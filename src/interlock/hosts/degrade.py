"""What happens to a vote that a host cannot carry out at an event."""

from __future__ import annotations

from collections.abc import Callable

from interlock.events.decision import Decision
from interlock.events.verdict import Vote

Note = Callable[[str], None]  # takes one short sentence about what the host cannot carry out


def possible_vote(
    event_name: str, decision: Decision, *, can_stop: bool, can_ask: bool, ending: bool, note: Note
) -> Vote:
    """The vote to send. What cannot be carried out is noted, and an allow only counts as a grant.

    `ending`: a deny sends the agent back to work.
    """
    if not can_stop:
        _note_lost_vote(event_name, decision, note)
        return Vote.ABSTAIN
    if decision.vote is Vote.ALLOW and not decision.auto_approve:
        return Vote.ABSTAIN
    if decision.vote is not Vote.ASK or can_ask:
        return decision.vote
    if ending:
        # A deny would send the agent back to work that nobody asked for.
        note(f"nobody can be asked at {event_name}: the agent may stop")
        return Vote.ABSTAIN
    note(f"nobody can be asked at {event_name}: denied instead")
    return Vote.DENY


def _note_lost_vote(event_name: str, decision: Decision, note: Note) -> None:
    # A vote that did not count is only in the trace.
    strictest = max([decision.vote, *(row.vote for row in decision.trace if not row.shadow)])
    if strictest is Vote.DENY:
        note(f"a deny cannot stop {event_name}")
    elif strictest is Vote.ASK:
        note(f"nobody can be asked at {event_name}")
