"""The loop guard of stops: a hook may send an agent back to work once a turn, not forever."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.decision import Decision
from interlock.event import Event
from interlock.moment import EventName
from interlock.verdict import Vote

_STOPS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP})


def let_be(event: Event, decision: Decision) -> Decision:
    """Let a stop pass that the host says has been blocked in this turn already."""
    active = event.extra.get("stop_hook_active") is True
    if event.name not in _STOPS or decision.vote is not Vote.DENY or not active:
        return decision
    note = f"`{decision.decided_by}` would block again; a stop is blocked once a turn"
    return msgspec.structs.replace(
        decision, vote=Vote.ABSTAIN, reason=None, decided_by=None, degraded=(*decision.degraded, note)
    )
