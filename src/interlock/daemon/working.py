"""Which commitment each session is at work on, put into its events before they are judged."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.commitments.commitments import Commitments
from interlock.config.charter import Charter
from interlock.daemon.callers import Callers
from interlock.event import Event

_MOST: Final = 4_096  # sessions remembered


class Working:
    """Looks a session up at each of its events; also remembers who it was started as."""

    def __init__(self) -> None:
        self._commitments: Commitments | None = None
        self._chosen: Final[dict[str, str]] = {}
        self.callers: Final = Callers()

    def begin(self, commitments: Commitments) -> None:
        """From now on sessions may be at work; before, there is nobody who could ask."""
        self._commitments = commitments

    def at_work(self, event: Event, charter: Charter, chosen: str | None) -> Event:
        """The event with its commitment; `chosen` is the actor its host's environment asks for."""
        if chosen is not None:
            self._remember(event.session_id, chosen)
        if self._commitments is None:
            return event
        name = self._commitments.claimed_by(event.session_id)
        if name is None:
            return event
        facts = self._commitments.facts(name, charter)
        return msgspec.structs.replace(event, commitment_id=name, commitment=facts)

    def chosen(self, session: str) -> str | None:
        """The actor a session's host asked for when it last reported something."""
        return self._chosen.get(session)

    def _remember(self, session: str, chosen: str) -> None:
        if len(self._chosen) >= _MOST and session not in self._chosen:
            self._chosen.clear()
        self._chosen[session] = chosen
