"""Who acts: hosts don't say, so the user's or managed policy does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

MAIN: Final = "agent:main"


class ActorMap(msgspec.Struct, frozen=True, kw_only=True):
    """`settings.actors`: the actor of the main agent and of each kind of sub-agent."""

    main: str = MAIN
    subagents: Mapping[str, str] = {}

    @property
    def names(self) -> frozenset[str]:
        """The actors this map lists; an environment may choose among them and no others."""
        return frozenset({self.main, *self.subagents.values()})

    def of_main(self, chosen: str | None = None) -> str:
        """The main agent's actor; `chosen` counts only when the map lists it."""
        return chosen if chosen is not None and chosen in self.names else self.main

    def of_subagent(self, agent_type: str) -> str:
        """A sub-agent's actor, by the kind the host reported."""
        return self.subagents.get(agent_type, f"agent:{agent_type}")
