"""The loop guard of stops: all hooks together send an agent back so often, and no more, in one turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interlock.engine.stop_counts import ALL, Rounds, RoundsInMemory
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import STOPS, EventName
from interlock.events.verdict import Vote

_PROMPT: Final = EventName.USER_PROMPT_SUBMIT


class Stops:
    """Counts what is sent back; a hook that may do so again and again keeps its own count besides."""

    def __init__(self, rounds: Rounds | None = None) -> None:
        self._rounds: Final = rounds or RoundsInMemory()

    def settled(self, event: Event, decision: Decision, most: Callable[[], int]) -> Decision:
        """The decision, with a block turned into a pass where the host would override it anyway."""
        if event.name == _PROMPT and decision.vote is not Vote.DENY:
            self._rounds.reset(event.session_id)
        if event.name not in STOPS or decision.vote is not Vote.DENY:
            return decision
        session = f"{event.session_id}/{event.agent_id}" if event.agent_id else event.session_id
        cap = most()
        if self._rounds.count(session, ALL) < cap:
            self._rounds.add(session, ALL)
            return decision
        note = f"`{decision.decided_by}` would block again; a stop is blocked {cap} times a turn at most"
        return decision.let_be(note)
