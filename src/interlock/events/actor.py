"""Who acts in an event, and who may answer for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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


_ANY: Final = "any:"


def counted(names: Sequence[str], count: int) -> tuple[str, ...]:
    """A list of people, and how many of them must approve."""
    return (f"{_ANY}{count}", *names) if count > 1 else tuple(names)


def wanted_of(lists: Iterable[Sequence[str]]) -> int:
    """How many people must say yes to satisfy every list."""
    return max(
        (int(one[0].removeprefix(_ANY)) for one in lists if one and one[0].startswith(_ANY)), default=1
    )


def in_words(names: Sequence[str]) -> str:
    """A list for people to read."""
    if names and names[0].startswith(_ANY):
        return f"{names[0].removeprefix(_ANY)} of {', '.join(names[1:])}"
    return " or ".join(names)


def are_all_named(decided_by: str | None, names: Sequence[str]) -> bool:
    """Whether everybody who said yes is on a list."""
    return all(one in names for one in (decided_by or "").split(", "))
