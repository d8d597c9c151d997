"""Which commitment and which actor a session has, as its events are taken up."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.commitments.desk import desk_at

from interlock.daemon.session_context import Working
from interlock.events.event import Event
from interlock.policy.policy import Policy

EVENT = Event(name="PreToolUse", session_id="s1")


@pytest.mark.req("M8")
def test_an_event_gets_what_its_session_claimed(tmp_path: Path) -> None:
    """Before anything can be claimed, and for others, the event stays the very same."""
    working = Working()
    assert working.at_work(EVENT, Policy(), None) is EVENT
    with desk_at(tmp_path) as desk:
        working.begin(desk.commitments)
        assert working.at_work(EVENT, Policy(), None) is EVENT
        name = desk.claimed(session="s1")
        found = working.at_work(EVENT, Policy(), None)

        assert found.commitment_id == name
        assert found.commitment is not None
        assert found.commitment["owner"] == "agent:x"
        assert working.at_work(Event(name="Stop", session_id="s2"), Policy(), None).commitment_id is None


@pytest.mark.req("M70")
def test_a_session_keeps_the_actor_its_host_was_started_with() -> None:
    """Whether the policy lists that name is asked when it acts; sessions do not pile up."""
    working = Working()
    working.at_work(EVENT, Policy(), "agent:auditor")

    assert working.chosen("s1") == "agent:auditor"
    assert working.chosen("s2") is None
    for number in range(5_000):
        working.at_work(Event(name="Stop", session_id=f"x{number}"), Policy(), "agent:y")
    assert len(working._chosen) <= 4_096
