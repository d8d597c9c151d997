"""What a gate may ask: the state of a project, and reviews of work by people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, final

import msgspec

from interlock.events.actor import in_words
from interlock.events.event import Event
from interlock.features.commitments.checks import Review


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """One commitment of this session, or one a contract names."""

    id: str
    state: str
    ended: bool
    evidence: int


class ProjectStateApi(Protocol):
    """The project, its commitments and its policy, as whoever runs the hooks knows them."""

    def trusted(self, event: Event) -> str | None:
        """The real folder of the project of this event when a person trusts it as it is now, else None."""

    def owed(self, event: Event, names: Sequence[str] | None) -> list[Owed]:
        """The commitments the session made or claimed, or those of these names; unknown ones are left out."""

    async def objection(self, event: Event, command: str) -> str | None:
        """Why the actor could not run a command itself, None when it could."""

    async def hand_in(self, event: Event, summary: str) -> str | None:
        """Submit what the session has claimed; gives what became of it, None when there was nothing."""


@final
class ReadOnlyProjectState:
    """The same ground for a hook that must change nothing."""

    def __init__(self, real: ProjectStateApi) -> None:
        self._real: Final = real

    def trusted(self, event: Event) -> str | None:
        """The real folder of the project of this event when a person trusts it as it is now, else None."""
        return self._real.trusted(event)

    def owed(self, event: Event, names: Sequence[str] | None) -> list[Owed]:
        """The commitments the session made or claimed, or those of these names; unknown ones are left out."""
        return self._real.owed(event, names)

    async def objection(self, event: Event, command: str) -> str | None:
        """Why the actor could not run a command itself, None when it could."""
        return await self._real.objection(event, command)

    async def hand_in(self, _event: Event, _summary: str) -> str | None:
        """Nothing is handed in."""
        return None


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """Who must look, and what waits for them."""

    approvers: tuple[str, ...] = ()  # nobody named: any person
    guards: tuple[str, ...] = ()  # patterns of calls


class Reviews(Protocol):
    """Requests bound to a commitment, or to a session that has claimed none."""

    async def ask(self, event: Event, gate: Gate) -> Review:
        """Find the request for the work of this session, or open it and put the commitment into review.

        A no that the agent has not heard of is given first, and nothing is opened.
        """

    async def renewed(self, review: Review, event: Event, gate: Gate) -> Review:
        """A yes, if it is about the content there is now; what is over is asked again."""

    def mark_denial_delivered(self, review: Review) -> None:
        """Tell the agent that the request was denied."""

    def standing(self, event: Event, gate: Gate) -> Review | None:
        """How the request stands; None when nobody was asked."""

    def holding(self, event: Event, gate: Gate) -> Review | None:
        """The same; else what the session asked for other work and got no yes to: it cannot be let go of."""


def subject_of(event: Event, gate: Gate) -> str:
    """What a person is asked about, in words that stay the same until the work is sent back."""
    lines = [*_work(event), f"approvers: {names_of(gate)}"]
    return "\n".join([*lines, f"until it is approved: no close, no {', no '.join(gate.guards)}"])


def names_of(gate: Gate) -> str:
    """Who may say yes, for people to read."""
    return in_words(gate.approvers) or "any person"


def _work(event: Event) -> list[str]:
    if event.commitment_id is None:
        return [f"the work of session {event.session_id}, which has claimed no commitment"]
    facts = event.commitment or {}
    lines = [f"commitment {event.commitment_id}: {facts.get('body', '')}"]
    if facts.get("tags"):
        lines.append(f"tags: {', '.join(map(str, facts['tags']))}")
    if facts.get("sent_back"):
        lines.append(f"sent back before: {facts['sent_back']}")
    return [*lines, f"see `interlock commitment show {event.commitment_id}`"]
