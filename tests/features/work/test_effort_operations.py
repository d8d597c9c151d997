"""Laws of what is done with efforts: bound to the session that does it, and never to another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.work.place_of_work import Clock, begun, window

from interlock.features.work.effort_operations import Caller, EffortOperations
from interlock.features.work.files import Payload
from interlock.features.work.records import Code, Effort, RefusedError
from interlock.features.work.store import WorkStore

LEFT = Payload(summary="half done", last_action="a test", next_steps=("more",), required_files=())


@pytest.fixture
def operations(work: WorkStore) -> EffortOperations:
    """What may be done."""
    return EffortOperations(work)


def start(operations: EffortOperations, who: Caller, folder: Path, skill: str = "fix") -> Effort:
    """An effort on the task `folder/task`."""
    return operations.start(who, project_dir=str(folder), task_dir=str(folder / "task"), skill=skill).effort


def code(caught: pytest.ExceptionInfo[RefusedError]) -> Code:
    """Why it was refused."""
    return caught.value.code


@pytest.mark.req("E17")
def test_an_agent_owns_the_effort_it_begins(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """Its open session takes part, and the next time its name finds the effort."""
    plain = window(work, "u-1")
    effort = start(operations, Caller(host_session_id="u-1", agent_id="builder"), tmp_path)
    session = work.sessions.open_of("u-1")

    assert session is not None
    assert (session.id, session.effort_id) == (plain.id, effort.id)
    assert work.efforts.of_agent("builder") == effort
    assert work.resolve(str(tmp_path), "builder", "u-2").effort_id == effort.id


def test_a_session_nobody_told_of_is_begun_with_the_effort(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """An agent without a name goes by its session's; a person has none."""
    effort = start(operations, Caller(host_session_id="u-1"), tmp_path)
    session = work.sessions.open_of("u-1")

    assert session is not None
    assert session.effort_id == effort.id
    assert work.efforts.of_agent("u-1") == effort
    assert operations.start(
        Caller(person=True), project_dir=str(tmp_path), task_dir=str(tmp_path / "task"), skill="x"
    ).session is None  # fmt: skip


def test_an_agent_keeps_its_hands_off_anothers_effort(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """As long as that one's host lives; a person may."""
    effort = begun(work, tmp_path)
    window(work, "other", effort)
    living = {"other"}
    work.alive = living.__contains__
    mine = Caller(host_session_id="u-1", cwd=str(tmp_path))

    for deed in (
        lambda: operations.log(mine, "x", effort.id),
        lambda: operations.finish(mine, effort.id),
        lambda: operations.enter(mine, "1: A", effort_id=effort.id),
        lambda: operations.resume(mine, effort.id),
        lambda: operations.resume(mine, None, str(tmp_path / "task")),
    ):
        with pytest.raises(RefusedError) as caught:
            deed()
        assert code(caught) == Code.NOT_YOURS
    assert operations.log(Caller(person=True), "x", effort.id).effort == effort
    living.clear()
    assert operations.resume(mine, effort.id).effort.id == effort.id


@pytest.mark.req("E61", "E78", "X41")
def test_logging_counts_from_zero_again(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """In the effort's open sessions, and the entry belongs into its own file."""
    begun(work, tmp_path)
    who = Caller(host_session_id="u-1")
    effort = start(operations, who, tmp_path, "code review")
    session = work.sessions.open_of("u-1")
    assert session is not None
    work.sessions.beat(session.id, "t1")
    logged = operations.log(who, "looked")

    assert work.sessions.get(session.id).heartbeat_counter == 0
    assert logged.path == tmp_path.resolve() / "task" / "2_CODE_REVIEW_LOG.md"
    assert logged.entry == "## [2026-01-01 00:00:00 UTC] looked\n"
    assert logged.effort == effort
    assert not logged.path.exists()


def test_nothing_is_logged_on_a_finished_effort(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """By its number, or as the last one of a session: one sentence says so and what to do."""
    who = Caller(host_session_id="u-1")
    effort = start(operations, who, tmp_path)
    session = work.sessions.open_of("u-1")
    assert session is not None
    work.sessions.beat(session.id, "t1")
    operations.finish(who)
    for number in (None, effort.id):
        with pytest.raises(RefusedError) as caught:
            operations.log(who, "too late", number)

        assert code(caught) == Code.ALREADY_FINISHED
        assert str(caught.value) == (
            f"ALREADY_FINISHED: effort {effort.name} was finished at 2026-01-01T00:00:00.000Z; "
            "start another one with `interlock effort start`"
        )
    assert work.sessions.get(session.id).heartbeat_counter == 1


@pytest.mark.req("E40")
def test_dehydrating_ends_the_session_with_its_payload(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """The next one of the effort finds it; a second time there is no session any more."""
    who = Caller(host_session_id="u-1")
    effort = start(operations, who, tmp_path)
    left = operations.dehydrate(who, LEFT)
    following = window(work, "u-2", effort)

    assert following.prev_session_id == left.id
    assert (left.open, left.end_reason) == (False, "dehydrated")
    assert left.dehydration_payload is not None
    assert left.dehydration_payload["lastAction"] == "a test"
    assert left.restart_prompt is not None
    assert "half done" in left.restart_prompt
    with pytest.raises(RefusedError) as caught:
        operations.dehydrate(who, LEFT)
    assert code(caught) == Code.NO_SESSION


def test_what_was_worked_on_last_is_meant_also_after_the_session_ended(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """A last word after the handover still belongs to the effort."""
    who = Caller(host_session_id="u-1")
    effort = start(operations, who, tmp_path)
    operations.dehydrate(who, LEFT)

    assert operations.log(who, "one more thing").effort == effort


def test_a_person_means_the_only_active_effort_of_the_project(
    work: WorkStore, operations: EffortOperations, tmp_path: Path
) -> None:
    """With several they are asked which; an agent without one is told how to begin."""
    person = Caller(person=True, cwd=str(tmp_path / "below"))
    first = begun(work, tmp_path)
    assert operations.effort_of(person) == first
    second = begun(work, tmp_path, "fix")

    with pytest.raises(RefusedError, match=rf"{second.name} \(fix\), {first.name} \(implement\)") as caught:
        operations.effort_of(person)
    assert code(caught) == Code.NO_EFFORT
    with pytest.raises(RefusedError, match="interlock effort start TASK SKILL"):
        operations.effort_of(Caller(host_session_id="u-1", cwd=str(tmp_path)))


def test_resuming_makes_an_effort_the_latest(
    work: WorkStore, operations: EffortOperations, clock: Clock, tmp_path: Path
) -> None:
    """By number, as the latest of a task, or the latest that is free; a finished one stays finished."""
    older, newer = begun(work, tmp_path), begun(work, tmp_path)
    project_id = work.tasks.get(older.task_id).project_id
    clock.now += 1
    assert operations.resume(Caller(person=True, cwd=str(tmp_path))).effort.id == newer.id
    clock.now += 1
    resumed = operations.resume(Caller(person=True), older.id).effort

    assert work.efforts.active_in(project_id)[0] == resumed
    assert (
        operations.resume(
            Caller(host_session_id="u-1", cwd=str(tmp_path)), None, str(tmp_path / "task")
        ).effort.id
        == newer.id
    )
    work.efforts.finish(older.id)
    with pytest.raises(RefusedError) as caught:
        operations.resume(Caller(person=True), older.id)
    assert code(caught) == Code.ALREADY_FINISHED
    with pytest.raises(RefusedError) as caught:
        operations.resume(Caller(person=True), None, str(tmp_path / "nothing"))
    assert code(caught) == Code.NOT_FOUND


def test_a_finished_effort_is_nobodys(work: WorkStore, operations: EffortOperations, tmp_path: Path) -> None:
    """Whoever worked on it is free for another."""
    who = Caller(host_session_id="u-1", agent_id="builder")
    effort = start(operations, who, tmp_path)
    operations.finish(who, None, ["cart"])
    agent = work.agents.get("builder")

    assert agent is not None
    assert agent.effort_id is None
    assert work.tasks.get(effort.task_id).keywords == "cart"
    with pytest.raises(RefusedError, match="the skill has no name"):
        start(operations, who, tmp_path, " ")
