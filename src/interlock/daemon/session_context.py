"""Who and where: what features know of an event's session, and what its host said of it."""

from __future__ import annotations

from typing import Final

from interlock.daemon.extension import Extensions
from interlock.daemon.policy_loader import Loaded
from interlock.daemon.reported_calls import Callers
from interlock.events.event import Event

_MOST: Final = 4_096  # sessions remembered


class SessionContext:
    """Looks a session up at each of its events; also remembers what its host said of it."""

    def __init__(self, extensions: Extensions) -> None:
        self._enrichers: Final = extensions.enrichers
        self._chosen: Final[dict[str, str]] = {}
        self._projects: Final[dict[str, str]] = {}
        self.callers: Final = Callers()

    def enrich(self, event: Event, loaded: Loaded, chosen: str | None = None) -> Event:
        """The event with what it is about; `chosen` is the actor its host's environment asks for."""
        if chosen is not None:
            _remember(self._chosen, event.session_id, chosen)
        if event.project is not None:
            _remember(self._projects, event.session_id, event.project)
        for enrich in self._enrichers:
            event = enrich(event, loaded)
        return event

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
