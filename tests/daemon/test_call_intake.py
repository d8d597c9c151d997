"""Who acts, and what is known of a session as its events are taken up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.commitments.commitment_setup import commitment_setup

from interlock.daemon.call_intake import SessionContext, with_actor
from interlock.daemon.extension import Extensions
from interlock.daemon.policy_loader import Loaded
from interlock.engine.engine import Engine
from interlock.events.actor import ActorMap
from interlock.events.event import Event
from interlock.features.commitments.policy import CommitmentPolicy

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


EVENT = Event(name="PreToolUse", session_id="s1")
LOADED = Loaded(engine=Engine(()), revision="", root="")


@pytest.mark.req("M8")
def test_an_event_gets_what_its_session_claimed(tmp_path: Path) -> None:
    """Before anything is claimed, and for others, nobody has claimed anything."""
    with commitment_setup(tmp_path) as setup:
        known = setup.commitments
        assert known.held_by("s1") is None
        name = setup.claimed(session="s1")
        found = known.enrich(EVENT, name, CommitmentPolicy())

        assert known.held_by("s1") == found.commitment_id == name
        assert found.commitment is not None
        assert found.commitment["owner"] == "agent:x"
        assert known.held_by("s2") is None


def test_whoever_knows_more_of_an_event_adds_it() -> None:
    """Each in turn; without anybody the event stays the very same."""
    extensions = Extensions()
    sessions = SessionContext(extensions)
    assert sessions.enrich(EVENT, LOADED) is EVENT

    class Effort:
        def enrich(self, _event: Event, _loaded: Loaded) -> Event:
            return Event(name="PreToolUse", session_id="s1", effort={"phase": "plan"})

    extensions.add(Effort())
    assert sessions.enrich(EVENT, LOADED).effort == {"phase": "plan"}


@pytest.mark.req("M70")
def test_a_session_keeps_the_actor_its_host_was_started_with() -> None:
    """Whether the policy lists that name is asked when it acts; sessions do not pile up."""
    sessions = SessionContext(Extensions())
    sessions.enrich(EVENT, LOADED, "agent:auditor")

    assert sessions.chosen("s1") == "agent:auditor"
    assert sessions.chosen("s2") is None
    for number in range(5_000):
        sessions.enrich(Event(name="Stop", session_id=f"x{number}"), LOADED, "agent:y")
    assert len(sessions._chosen) <= 4_096
