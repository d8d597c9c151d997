"""Who acts in an event: the policy's names, chosen by what the host reports about sub-agents."""

from __future__ import annotations

from typing import Final

import msgspec

from interlock.events.actor import ActorMap
from interlock.events.event import Event

_KIND_UNKNOWN: Final = "subagent"  # a sub-agent whose kind the host does not tell


def with_actor(event: Event, actors: ActorMap, chosen: str | None = None) -> Event:
    """The event with its actor; a sub-agent also has the main agent as its parent."""
    main = actors.main if chosen is None else actors.of_main(chosen)
    # A kind without an id is the main agent, started in that role.
    if event.agent_id is None:
        if event.actor == main and event.parent_actor is None:
            return event
        return msgspec.structs.replace(event, actor=main, parent_actor=None)
    actor = actors.of_subagent(event.agent_type or _KIND_UNKNOWN)
    return msgspec.structs.replace(event, actor=actor, parent_actor=main)
