"""Which commitment and which actor a session has, as its events are taken up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.commitments.desk import desk_at

from interlock.daemon.extension import Extensions
from interlock.daemon.policy_loader import Loaded
from interlock.daemon.session_context import SessionContext
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.features.commitments.policy import CommitmentPolicy

EVENT = Event(name="PreToolUse", session_id="s1")
LOADED = Loaded(engine=Engine(()), revision="", root="")


@pytest.mark.req("M8")
def test_an_event_gets_what_its_session_claimed(tmp_path: Path) -> None:
    """Before anything is claimed, and for others, the event stays the very same."""
    with desk_at(tmp_path) as desk:
        known = desk.commitments
        assert known.enrich(EVENT, CommitmentPolicy()) is EVENT
        name = desk.claimed(session="s1")
        found = known.enrich(EVENT, CommitmentPolicy())

        assert found.commitment_id == name
        assert found.commitment is not None
        assert found.commitment["owner"] == "agent:x"
        assert known.enrich(Event(name="Stop", session_id="s2"), CommitmentPolicy()).commitment_id is None


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
