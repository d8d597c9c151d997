"""What a completion contract must know of the place it stands in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, final

import msgspec

from interlock.events.event import Event


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """One commitment of this session, or one a contract names."""

    id: str
    state: str
    ended: bool
    evidence: int


class Ground(Protocol):
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
class Looking:
    """The same ground for a hook that must change nothing."""

    def __init__(self, real: Ground) -> None:
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
