"""Whose commitment an entry carries: by session, by actor, and when a session is over."""

from __future__ import annotations

import pytest
from tests.features.commitments.commitment_setup import PLACE, CommitmentSetup


@pytest.mark.req("M8")
def test_in_one_session_each_actor_is_at_work_on_its_own_claim(setup: CommitmentSetup) -> None:
    """A sub-agent that claimed nothing works on what its session claimed last."""
    main = setup.claimed(by="agent:main", session="s1")
    other = setup.claimed(by="agent:auditor", session="s1")
    held = setup.commitments.held_by

    assert held("s1", "agent:main", PLACE) == main
    assert held("s1", "agent:auditor", PLACE) == other
    assert held("s1", "agent:explore", PLACE) == other


@pytest.mark.req("M8")
def test_a_claim_outside_of_a_session_is_its_actors_in_that_workspace(setup: CommitmentSetup) -> None:
    """In any session without a claim of its own, and nowhere else."""
    name = setup.claimed(by="agent:x")
    own = setup.claimed(by="agent:x", session="s2")
    held = setup.commitments.held_by

    assert held("s1", "agent:x", PLACE) == name
    assert held("s2", "agent:x", PLACE) == own
    assert held("s1", "agent:y", PLACE) is None
    assert held("s1", "agent:x", "/w/other") is None
    setup.do("release", "agent:x", commitment=name)
    assert held("s1", "agent:x", PLACE) is None


@pytest.mark.req("M8")
def test_what_a_session_leaves_unfinished_its_actor_goes_on_with(setup: CommitmentSetup) -> None:
    """After the end of the session, in the next one of that actor; another's session keeps its own."""
    name = setup.claimed(by="agent:x", session="s1")
    setup.commitments.end_session("s1")
    setup.commitments.end_session("unknown")
    held = setup.commitments.held_by

    assert held("s2", "agent:x", PLACE) == name
    setup.do("submit", "agent:x", commitment=name)
    assert held("s2", "agent:x", PLACE) is None


@pytest.mark.req("M8", "M44")
def test_every_entry_of_whoever_holds_a_claim_carries_it(setup: CommitmentSetup) -> None:
    """Also operations and what has no session; what is about a commitment keeps its own member beside it."""
    setup.writer.work_of = setup.commitments.held_by
    name = setup.claimed(by="agent:x", session="s1")
    setup.do("capture", "agent:x", session="s1", body="seen")
    setup.writer.append("overridden", "agent:x", PLACE, {"session_id": "s1"})
    setup.writer.append("overridden", "agent:x", PLACE, {"session_id": "s2"})
    setup.writer.flush()
    setup.do("submit", "agent:x", session="s1", commitment=name)
    setup.do("capture", "agent:x", session="s1", body="later")

    carried = [(entry.op, entry.body.get("commitment_id")) for entry in setup.entries()[3:]]
    assert carried == [
        ("capture", name),
        ("overridden", name),
        ("overridden", None),
        ("capture", name),
        ("submit", name),
        ("approve", name),
        ("capture", None),
    ]
    assert setup.reopened().state(PLACE).commitments[name] == setup.commitment(name)
