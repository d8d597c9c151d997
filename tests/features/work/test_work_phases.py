"""Laws of phase changes in the store: kept with their proof, and a sign of life."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.work.place_of_work import begun, window

from interlock.features.work.records import Code, Effort, RefusedError, Skill
from interlock.features.work.store import WorkStore

PHASES = ("1: Look", "2: Build", "3: Test")


@pytest.fixture
def effort(work: WorkStore, tmp_path: Path) -> Effort:
    """One of a skill with three phases."""
    effort = begun(work, tmp_path)
    work.skills.put(work.tasks.get(effort.task_id).project_id, Skill(name="implement", phases=PHASES))
    return effort


@pytest.mark.req("E61")
def test_a_change_is_kept_with_its_proof_and_resets_the_heartbeat(work: WorkStore, effort: Effort) -> None:
    """Of every open session of the effort; going where one is already changes nothing."""
    main, sub = window(work, "u-1", effort), window(work, "u-1", effort, agent_id="sub")
    for session in (main, sub):
        work.sessions.beat(session.id, "t")
    change = work.phases.enter(effort, "1: Look", proof={"tests": "green"})
    now = work.efforts.get(effort.id)

    assert change is not None
    assert (change.phase_label, change.proof, now.current_phase) == ("1: Look", {"tests": "green"}, "1: Look")
    assert [work.sessions.get(one.id).heartbeat_counter for one in (main, sub)] == [0, 0]
    assert work.phases.enter(now, "1: Look") is None
    assert work.phases.of_effort(effort.id) == [change]


@pytest.mark.req("E61")
def test_out_of_order_needs_a_reason_that_is_kept(work: WorkStore, effort: Effort) -> None:
    """A refusal writes nothing."""
    with pytest.raises(RefusedError) as caught:
        work.phases.enter(effort, "3: Test")
    assert caught.value.code == Code.PHASE_NOT_SEQUENTIAL
    assert work.phases.of_effort(effort.id) == []

    change = work.phases.enter(effort, "3: Test", reason="the rest is done")
    assert change is not None
    assert change.reason == "the rest is done"


@pytest.mark.req("E61")
def test_a_new_part_of_a_phase_is_one_of_the_efforts_phases_from_then_on(
    work: WorkStore, effort: Effort
) -> None:
    """The skill's own list stays as it is, and so does the rest of the metadata."""
    work.efforts.set_metadata(effort.id, {"blockAfter": 5})
    work.phases.enter(work.efforts.get(effort.id), "1: Look")
    work.phases.enter(work.efforts.get(effort.id), "1.A: Look again")
    now = work.efforts.get(effort.id)

    assert now.metadata["blockAfter"] == 5
    assert work.phases.declared(now) == ["1: Look", "1.A: Look again", "2: Build", "3: Test"]
    work.phases.enter(now, "2: Build")
    skill = work.skills.get(work.tasks.get(effort.task_id).project_id, "implement")
    assert skill is not None
    assert skill.phases == PHASES


@pytest.mark.req("E7", "E61")
def test_a_finished_effort_goes_nowhere(work: WorkStore, effort: Effort) -> None:
    """And an unknown phase is refused by its own name."""
    with pytest.raises(RefusedError) as caught:
        work.phases.enter(effort, "9: Dream")
    assert caught.value.code == Code.UNKNOWN_PHASE
    done = work.efforts.finish(effort.id)

    with pytest.raises(RefusedError) as caught:
        work.phases.enter(done, "1: Look")
    assert caught.value.code == Code.ALREADY_FINISHED
