"""Laws of tasks and efforts: a task is a folder and never ends, an effort is begun and finished once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.work.place_of_work import Clock, begun

from interlock.features.work.records import Code, RefusedError
from interlock.features.work.store import WorkStore


@pytest.mark.req("E10")
def test_a_folder_is_one_project_and_one_task_by_whatever_path(work: WorkStore, tmp_path: Path) -> None:
    """Links and dots lead to the same row."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    project = work.projects.ensure(str(tmp_path / "real"))
    task = work.tasks.ensure(str(tmp_path / "real" / "t"), project.id, title="One")

    assert work.projects.ensure(str(tmp_path / "link")) == project
    assert work.tasks.ensure(str(tmp_path / "link" / ".." / "real" / "t"), project.id, title="Two") == task
    assert work.tasks.find(str(tmp_path / "link" / "t")) == task


@pytest.mark.req("E16")
def test_the_nearest_known_folder_above_is_the_project(work: WorkStore, tmp_path: Path) -> None:
    """A folder beside it is not, and neither is one whose name only begins alike."""
    outer, inner = work.projects.ensure(str(tmp_path)), work.projects.ensure(str(tmp_path / "a"))

    assert work.projects.find(str(tmp_path / "a" / "b" / "c")) == inner
    assert work.projects.find(str(tmp_path / "ab")) == outer
    assert work.projects.find(str(tmp_path.parent)) is None
    assert work.projects.find(None) is None


@pytest.mark.req("E8", "E60")
def test_efforts_are_numbered_within_their_task(work: WorkStore, tmp_path: Path) -> None:
    """The next number is one above the highest, whatever was finished."""
    first, second = begun(work, tmp_path), begun(work, tmp_path, "fix", mode="fast", metadata={"a": 1})
    other = begun(work, tmp_path / "elsewhere")

    assert (first.ordinal, second.ordinal, other.ordinal) == (1, 2, 1)
    assert (second.mode, second.metadata, second.lifecycle) == ("fast", {"a": 1}, "active")


@pytest.mark.req("E7", "E60")
def test_an_effort_is_finished_once_and_its_keywords_go_to_the_task(work: WorkStore, tmp_path: Path) -> None:
    """A second time is refused by name and changes nothing."""
    effort, later = begun(work, tmp_path), begun(work, tmp_path)
    work.efforts.finish(later.id, ["auth", "tokens"])
    done = work.efforts.finish(effort.id, ["tokens", " ", "cookies"])

    assert (done.lifecycle, done.finished_at is not None, done.active) == ("finished", True, False)
    assert work.tasks.get(effort.task_id).keywords == "auth, tokens, cookies"
    with pytest.raises(RefusedError, match=f"effort {effort.name} was finished at") as caught:
        work.efforts.finish(effort.id)
    assert caught.value.code == Code.ALREADY_FINISHED
    assert work.efforts.get(effort.id) == done


@pytest.mark.req("E60")
@pytest.mark.parametrize("kind", ["tasks", "efforts", "sessions"])
def test_an_unknown_number_is_not_found(work: WorkStore, kind: str) -> None:
    """The error says where to look."""
    with pytest.raises(RefusedError, match="run `interlock") as caught:
        getattr(work, kind).get(99)

    assert caught.value.document["error"] == "NOT_FOUND"


@pytest.mark.req("E10")
def test_a_task_is_active_while_one_of_its_efforts_is(work: WorkStore, tmp_path: Path, clock: Clock) -> None:
    """It has no state of its own, and the last active one is listed first."""
    effort = begun(work, tmp_path)
    project_id = work.tasks.get(effort.task_id).project_id
    clock.now += 60
    newer = work.tasks.ensure(str(tmp_path / "newer"), project_id)

    assert [(task.id, task.state) for task in work.tasks.listed()] == [
        (newer.id, "dormant"), (effort.task_id, "active"),
    ]  # fmt: skip
    clock.now += 60
    work.efforts.finish(effort.id)
    assert work.tasks.summary(effort.task_id).state == "dormant"
    assert work.tasks.listed(project_id)[0].id == effort.task_id
    assert work.tasks.listed(99) == []


def test_metadata_is_replaced_and_directives_are_gathered(work: WorkStore, tmp_path: Path) -> None:
    """What was found once is not new a second time."""
    effort = begun(work, tmp_path, metadata={"blockAfter": 3})
    work.efforts.set_metadata(effort.id, {"loading": True})

    assert work.efforts.add_directives(effort.id, ["/a", "/b"], ["/"]) == ["/a", "/b"]
    assert work.efforts.add_directives(effort.id, ["/b", "/c"], ["/"]) == ["/c"]
    kept = work.efforts.get(effort.id)
    assert (kept.metadata, kept.discovered_directives) == ({"loading": True}, ("/a", "/b", "/c"))
    assert kept.discovered_directories == ("/",)


def test_efforts_are_listed_by_project_by_task_and_by_state(work: WorkStore, tmp_path: Path) -> None:
    """The newest first."""
    one, two = begun(work, tmp_path), begun(work, tmp_path, "fix")
    other = begun(work, tmp_path / "other")
    work.efforts.finish(one.id)
    project_id = work.tasks.get(two.task_id).project_id

    assert [effort.id for effort in work.efforts.listed()] == [other.id, two.id, one.id]
    assert [effort.id for effort in work.efforts.listed(project_id=project_id)] == [two.id, one.id]
    assert [effort.id for effort in work.efforts.listed(task_id=one.task_id, active=True)] == [two.id]
    assert work.efforts.active_in(project_id) == [two]
    assert work.efforts.latest_of_task(one.task_id) == two
