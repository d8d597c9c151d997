"""Who acts."""

from __future__ import annotations

import pytest

from interlock.events.actor import ActorMap
from interlock.events.event import Event
from interlock.hosts.host import with_actor

ACTORS = ActorMap(main="agent:executor", subagents={"Explore": "agent:auditor"})


@pytest.mark.parametrize(
    ("event", "actor", "parent"),
    [
        (Event(name="Stop"), "agent:executor", None),
        (Event(name="Stop", agent_type="Explore"), "agent:executor", None),
        (Event(name="Stop", agent_id="a1", agent_type="Explore"), "agent:auditor", "agent:executor"),
        (Event(name="Stop", agent_id="a1", agent_type="Plan"), "agent:Plan", "agent:executor"),
        (Event(name="Stop", agent_id="a1"), "agent:subagent", "agent:executor"),
    ],
)
def test_a_sub_agent_is_known_by_its_id(event: Event, actor: str, parent: str | None) -> None:
    """Only an id makes a sub-agent; its kind gives the name, and the main agent is its parent."""
    acting = with_actor(event, ACTORS)

    assert (actor, parent) == (acting.actor, acting.parent_actor)


@pytest.mark.req("Z08")
@pytest.mark.parametrize(
    ("chosen", "actor"), [("agent:auditor", "agent:auditor"), ("agent:boss", "agent:executor")]
)
def test_an_environment_chooses_among_listed_names_only(chosen: str, actor: str) -> None:
    """A name the policy does not list is not believed."""
    assert with_actor(Event(name="Stop"), ACTORS, chosen).actor == actor


def test_a_claimed_actor_is_replaced() -> None:
    """Whatever an event says about its actor, the map says who it is."""
    claimed = Event(name="Stop", actor="human:me", parent_actor="human:you")

    acting = with_actor(claimed, ACTORS)

    assert (acting.actor, acting.parent_actor) == ("agent:executor", None)
