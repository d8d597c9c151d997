"""What each session is at work on, commitment and effort, put into its events before they are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from interlock.daemon.reported_calls import Callers
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.features.commitments.commitments import Commitments
from interlock.features.commitments.compile import COMMITMENTS
from interlock.features.work.efforts.condition_facts import Facts
from interlock.policy.settings_part import HasSettings

FactsOf = Callable[[Event], Facts | None]
_MOST: Final = 4_096  # sessions remembered


class Working:
    """Looks a session up at each of its events; also remembers what its host said of it."""

    def __init__(self) -> None:
        self._commitments: Commitments | None = None
        self._facts: FactsOf = lambda _: None
        self._chosen: Final[dict[str, str]] = {}
        self._projects: Final[dict[str, str]] = {}
        self.callers: Final = Callers()

    def begin(self, commitments: Commitments, facts: FactsOf = lambda _: None) -> None:
        """From now on sessions may be at work; before, there is nobody who could ask."""
        self._commitments = commitments
        self._facts = facts

    def at_work(self, event: Event, policy: HasSettings, chosen: str | None, root: str = "") -> Event:
        """The event with what it is about; `chosen` is the actor its host's environment asks for."""
        if chosen is not None:
            _remember(self._chosen, event.session_id, chosen)
        if event.project is not None:
            _remember(self._projects, event.session_id, event.project)
        facts = self._facts(event)
        if facts is not None:
            event = msgspec.structs.replace(event, session=facts.session, effort=facts.effort)
        commitments = self._commitments
        name = commitments.held_by(event.session_id, event.actor, root) if commitments is not None else None
        if commitments is None or name is None:
            return event
        about = commitments.facts(name, COMMITMENTS.of(policy))
        if event.name == EventName.SESSION_END:
            commitments.end_session(event.session_id)
        return msgspec.structs.replace(event, commitment_id=name, commitment=about)

    def chosen(self, session: str) -> str | None:
        """The actor a session's host asked for when it last reported something."""
        return self._chosen.get(session)

    def project(self, session: str) -> str | None:
        """The project a session is in, as its host told when it last reported something."""
        return self._projects.get(session)


def _remember(memory: dict[str, str], session: str, told: str) -> None:
    if len(memory) >= _MOST and session not in memory:
        memory.clear()
    memory[session] = told
