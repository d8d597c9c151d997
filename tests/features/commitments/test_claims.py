"""Whose commitment an entry carries: by session, by actor, and when a session is over."""

from __future__ import annotations

import pytest
from tests.features.commitments.desk import PLACE, Desk


@pytest.mark.req("M8")
def test_in_one_session_each_actor_is_at_work_on_its_own_claim(desk: Desk) -> None:
    """A sub-agent that claimed nothing works on what its session claimed last."""
    main = desk.claimed(by="agent:main", session="s1")
    other = desk.claimed(by="agent:auditor", session="s1")
    held = desk.commitments.held_by

    assert held("s1", "agent:main", PLACE) == main
    assert held("s1", "agent:auditor", PLACE) == other
    assert held("s1", "agent:explore", PLACE) == other


@pytest.mark.req("M8")
def test_a_claim_outside_of_a_session_is_its_actors_in_that_workspace(desk: Desk) -> None:
    """In any session without a claim of its own, and nowhere else."""
    name = desk.claimed(by="agent:x")
    own = desk.claimed(by="agent:x", session="s2")
    held = desk.commitments.held_by

    assert held("s1", "agent:x", PLACE) == name
    assert held("s2", "agent:x", PLACE) == own
    assert held("s1", "agent:y", PLACE) is None
    assert held("s1", "agent:x", "/w/other") is None
    desk.do("release", "agent:x", commitment=name)
    assert held("s1", "agent:x", PLACE) is None


@pytest.mark.req("M8")
def test_what_a_session_leaves_unfinished_its_actor_goes_on_with(desk: Desk) -> None:
    """After the end of the session, in the next one of that actor; another's session keeps its own."""
    name = desk.claimed(by="agent:x", session="s1")
    desk.commitments.end_session("s1")
    desk.commitments.end_session("unknown")
    held = desk.commitments.held_by

    assert held("s2", "agent:x", PLACE) == name
    desk.do("submit", "agent:x", commitment=name)
    assert held("s2", "agent:x", PLACE) is None


@pytest.mark.req("M8", "M44")
def test_every_entry_of_whoever_holds_a_claim_carries_it(desk: Desk) -> None:
    """Also operations and what has no session; what is about a commitment keeps its own member beside it."""
    desk.writer.work_of = desk.commitments.held_by
    name = desk.claimed(by="agent:x", session="s1")
    desk.do("capture", "agent:x", session="s1", body="seen")
    desk.writer.append("overridden", "agent:x", PLACE, {"session_id": "s1"})
    desk.writer.append("overridden", "agent:x", PLACE, {"session_id": "s2"})
    desk.writer.flush()
    desk.do("submit", "agent:x", session="s1", commitment=name)
    desk.do("capture", "agent:x", session="s1", body="later")

    carried = [(entry.op, entry.body.get("commitment_id")) for entry in desk.entries()[3:]]
    assert carried == [
        ("capture", name),
        ("overridden", name),
        ("overridden", None),
        ("capture", name),
        ("submit", name),
        ("approve", name),
        ("capture", None),
    ]
    assert desk.reopened().state(PLACE).commitments[name] == desk.commitment(name)
