"""Laws of where an event belongs, and of steps that stand or fall with the ledger."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.features.work.place_of_work import begun, window

from interlock.features.work.records import Ids, RefusedError
from interlock.features.work.store import WorkStore
from interlock.ledger.writer import LedgerWriter


@pytest.mark.req("E18")
def test_nothing_known_gives_nulls(work: WorkStore, tmp_path: Path) -> None:
    """Never an error, whatever is missing."""
    assert work.resolve(None, None, "u-1") == Ids()
    assert work.resolve("/nowhere/at/all", "ghost", "u-1", "sub") == Ids()
    project = work.projects.ensure(str(tmp_path))
    assert work.resolve(str(tmp_path / "deep"), None, "u-1") == Ids(project_id=project.id)


@pytest.mark.req("E16", "E17")
def test_the_agents_name_picks_its_own_effort(work: WorkStore, tmp_path: Path) -> None:
    """Without it, it is the project's latest."""
    mine, latest = begun(work, tmp_path), begun(work, tmp_path)
    project_id = work.tasks.get(mine.task_id).project_id
    work.agents.register("builder", effort_id=mine.id)

    assert work.resolve(str(tmp_path), "builder", "u-1") == Ids(project_id=project_id, effort_id=mine.id)
    assert work.resolve(str(tmp_path), None, "u-1") == Ids(project_id=project_id, effort_id=latest.id)
    work.efforts.finish(latest.id)
    assert work.resolve(str(tmp_path), None, "u-1").effort_id == mine.id
    work.efforts.finish(mine.id)
    assert work.resolve(str(tmp_path), "builder", "u-1") == Ids(project_id=project_id)


@pytest.mark.req("E14", "E16")
def test_the_windows_own_session_decides_first(work: WorkStore, tmp_path: Path) -> None:
    """Found by the host's id, and ours is a number; the folder the agent went to does not matter."""
    mine, latest = begun(work, tmp_path), begun(work, tmp_path)
    session = window(work, "u-1", mine)
    work.agents.register("other", effort_id=latest.id)
    project_id = work.tasks.get(mine.task_id).project_id
    ids = Ids(project_id=project_id, effort_id=mine.id, session_id=session.id)

    assert work.resolve(str(tmp_path), None, "u-1") == ids
    assert work.resolve("/", "other", "u-1") == ids


def test_a_session_without_an_effort_has_none(work: WorkStore, tmp_path: Path) -> None:
    """The project's latest effort is not pressed upon a window that did not take it."""
    session = window(work, "u-1")
    begun(work, tmp_path)

    ids = work.resolve(str(tmp_path), None, "u-1")
    assert (ids.effort_id, ids.session_id) == (None, session.id)


def test_an_effort_another_live_host_works_on_is_left_to_it(work: WorkStore, tmp_path: Path) -> None:
    """The next older one that is free is taken; a dead host holds nothing."""
    older, newer = begun(work, tmp_path), begun(work, tmp_path)
    window(work, "busy", newer)
    living = {"busy"}
    work.alive = living.__contains__

    assert work.resolve(str(tmp_path), None, "u-1").effort_id == older.id
    living.clear()
    assert work.resolve(str(tmp_path), None, "u-1").effort_id == newer.id


@pytest.mark.req("E37")
def test_a_sub_agent_has_its_own_session_on_its_parents_effort(work: WorkStore, tmp_path: Path) -> None:
    """Where its start was not seen it has no session, never its parent's."""
    effort = begun(work, tmp_path)
    window(work, "u-1", effort)
    child = window(work, "u-1", effort, agent_id="sub")

    assert work.resolve(str(tmp_path), None, "u-1", "sub").session_id == child.id
    unseen = work.resolve(str(tmp_path), None, "u-1", "late")
    assert (unseen.effort_id, unseen.session_id) == (effort.id, None)


@pytest.mark.req("E72")
def test_a_step_that_fails_leaves_nothing_and_one_that_is_not_recorded_neither(
    work: WorkStore, ledger: LedgerWriter, database: sqlite3.Connection, tmp_path: Path
) -> None:
    """What was done before in the same transaction stays."""
    with work.step():
        work.projects.ensure(str(tmp_path / "kept"))
    with pytest.raises(RefusedError), work.step():
        work.tasks.get(work.projects.ensure(str(tmp_path / "undone")).id)
    ledger.append("work", "system", "", {})
    ledger.flush()
    with work.step():
        work.projects.ensure(str(tmp_path / "lost"))
    ledger.flush()

    assert [Path(row[0]).name for row in database.execute("SELECT path FROM projects")] == ["kept"]
