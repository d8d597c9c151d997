"""Laws of sessions: each window is a new one that points back, and none is resumed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.features.work.place_of_work import Clock, begun, window

from interlock.features.work.records import Code, RefusedError
from interlock.features.work.store import WorkStore


@pytest.mark.req("E4", "E59")
def test_a_new_window_ends_the_efforts_open_one_and_points_back(work: WorkStore, tmp_path: Path) -> None:
    """What was discovered goes along; what was counted does not."""
    effort = begun(work, tmp_path)
    first = window(work, "u-1", effort)
    work.sessions.add_directives(first.id, ["/d"], ["/"])
    work.sessions.beat(first.id, "t1")
    second = window(work, "u-2", effort)

    assert (second.prev_session_id, second.effort_id, second.task_id) == (first.id, effort.id, effort.task_id)
    assert (second.discovered_directives, second.discovered_directories) == (("/d",), ("/",))
    assert second.heartbeat_counter == 0
    assert not work.sessions.get(first.id).open
    assert work.sessions.get(first.id).end_reason == "replaced"


@pytest.mark.req("E41", "X41")
def test_the_one_before_is_found_though_it_has_ended(work: WorkStore, tmp_path: Path) -> None:
    """A compaction ends a session before the next one starts; its payload must not be lost."""
    effort = begun(work, tmp_path)
    first = window(work, "u-1", effort)
    work.sessions.dehydrate(first.id, {"summary": "s"})
    work.sessions.end(first.id, "compaction")
    second = window(work, "u-2", effort)
    assert second.prev_session_id is not None
    before = work.sessions.get(second.prev_session_id)

    assert (before.id, before.dehydration_payload, before.end_reason) == (
        first.id, {"summary": "s"}, "compaction",
    )  # fmt: skip
    assert second.dehydration_payload is None


@pytest.mark.req("E37", "X41")
def test_a_sub_agents_session_ends_nobodys(work: WorkStore, tmp_path: Path) -> None:
    """It stands beside its parent's on the same effort, and the next main one points to the main one."""
    effort = begun(work, tmp_path)
    parent = window(work, "u-1", effort)
    child = window(work, "u-1", effort, agent_id="sub-1")
    twin = window(work, "u-1", effort, agent_id="sub-2")

    assert work.sessions.open_of("u-1") == parent
    assert work.sessions.open_of("u-1", "sub-1") == child
    assert work.sessions.open_of("u-1", "sub-2") == twin
    assert (child.effort_id, child.prev_session_id) == (effort.id, None)
    assert window(work, "u-2", effort).prev_session_id == parent.id
    assert work.sessions.get(child.id).open


@pytest.mark.req("E59")
def test_a_session_is_ended_once(work: WorkStore) -> None:
    """A second time is refused by name; an unknown one is not found."""
    session = window(work)
    work.sessions.end(session.id)

    with pytest.raises(RefusedError, match="a new one continues") as caught:
        work.sessions.end(session.id)
    assert caught.value.code == Code.ALREADY_ENDED
    with pytest.raises(RefusedError) as caught:
        work.sessions.dehydrate(session.id, {})
    assert caught.value.code == Code.ALREADY_ENDED
    assert work.sessions.open_of("u-1") is None


@pytest.mark.req("X20")
def test_a_window_that_is_told_again_is_a_new_session(work: WorkStore) -> None:
    """Also without an effort: what is open under its name ends, and the file is not read twice."""
    first = window(work, transcript_path="/t.jsonl")
    work.sessions.set_offset(first.id, 500)
    second = window(work, transcript_path="/t.jsonl")
    elsewhere = window(work, transcript_path="/u.jsonl")

    assert second.id != first.id
    assert (second.prev_session_id, second.transcript_offset) == (first.id, 500)
    assert elsewhere.transcript_offset == 0
    assert [session.id for session in work.sessions.listed(open_only=True)] == [elsewhere.id]


def test_the_same_call_counts_once(work: WorkStore, clock: Clock, tmp_path: Path) -> None:
    """Also when others came in between and after a reset; a call without an id always counts."""
    effort = begun(work, tmp_path)
    session = window(work, "u-1", effort)
    counts = [work.sessions.beat(session.id, name) for name in ("a", "b", "a", "b", "c", None, None)]
    work.sessions.reset_effort(effort.id)
    clock.now += 1

    assert counts == [1, 2, 2, 2, 3, 4, 5]
    assert work.sessions.beat(session.id, "c") == 0
    assert work.sessions.beat(session.id, "d") == 1
    assert work.sessions.beat(99, "a") == 0


def test_what_is_remembered_of_calls_is_bounded(work: WorkStore) -> None:
    """A long session does not drag its history along."""
    session = window(work)
    for number in range(40):
        work.sessions.beat(session.id, f"t{number}")
    kept = work.sessions.get(session.id)

    assert kept.heartbeat_counter == 40
    assert kept.recent_calls == tuple(f"t{number}" for number in range(24, 40))


@pytest.mark.req("E5", "E6")
def test_a_session_owns_what_its_window_holds(work: WorkStore) -> None:
    """Usage, files, injections, payload and offset come out as they went in."""
    session = window(work)
    work.sessions.set_usage(session.id, 1.7)
    work.sessions.add_loaded(session.id, ["/a"])
    work.sessions.add_loaded(session.id, ["/b", "/a"])
    work.sessions.add_preloaded(session.id, ["/p"])
    work.sessions.set_pending(session.id, [{"ruleId": "r", "content": "c"}])
    work.sessions.set_transcript(session.id, "/t.jsonl", 7)
    work.sessions.set_restart(session.id, "Go on.")
    work.sessions.dehydrate(session.id, {"summary": "ü"})
    kept = work.sessions.get(session.id)

    assert (kept.context_usage, kept.loaded_files, kept.preloaded_files) == (1.0, ("/a", "/b"), ("/p",))
    assert kept.pending_injections == ({"ruleId": "r", "content": "c"},)
    assert (kept.transcript_path, kept.transcript_offset) == ("/t.jsonl", 7)
    assert (kept.restart_prompt, kept.dehydration_payload) == ("Go on.", {"summary": "ü"})
    work.sessions.set_usage(session.id, None)
    assert work.sessions.get(session.id).context_usage is None


def test_a_window_takes_part_in_an_effort_begun_in_it(work: WorkStore, tmp_path: Path) -> None:
    """The first effort joins the open session; a second one is a session of its own in the same window."""
    plain = window(work, transcript_path="/t")
    first, second = begun(work, tmp_path), begun(work, tmp_path)
    joined = work.sessions.attach(plain.id, first)
    work.sessions.set_offset(plain.id, 9)
    next_one = work.sessions.attach(joined.id, second)

    assert (joined.id, joined.effort_id, joined.task_id) == (plain.id, first.id, first.task_id)

    assert (next_one.effort_id, next_one.transcript_offset) == (second.id, 9)
    assert next_one.id != plain.id
    assert not work.sessions.get(plain.id).open
    assert work.sessions.open_of("u-1") == next_one


def test_taking_over_an_effort_ends_the_session_it_had(work: WorkStore, tmp_path: Path) -> None:
    """The window that resumes it points back to the one that left it."""
    effort = begun(work, tmp_path)
    left = window(work, "u-1", effort)
    taken = work.sessions.attach(window(work, "u-2").id, effort)

    assert taken.prev_session_id == left.id
    assert not work.sessions.get(left.id).open


def test_sessions_are_found_by_number_and_by_the_beginning_of_the_hosts_id(work: WorkStore) -> None:
    """The newest first; nothing for what is none."""
    one, two, three = window(work, "ab-1"), window(work, "ab-2"), window(work, "b-1")

    assert work.sessions.find_all(str(three.id)) == [three]
    assert [session.id for session in work.sessions.find_all("ab")] == [two.id, one.id]
    assert work.sessions.find_all("ab%") == []
    assert work.sessions.find_all("") == []


@pytest.mark.req("E58")
def test_sessions_without_a_sign_of_life_are_stale(work: WorkStore, database: sqlite3.Connection) -> None:
    """Those that ended are not."""
    ended, quiet = window(work, "u-1"), window(work, "u-2")
    work.sessions.end(ended.id)
    database.execute("UPDATE sessions SET created_at = '2026-01-01T00:00:00.000Z'")
    fresh = window(work, "u-3")
    database.execute(
        "UPDATE sessions SET last_heartbeat = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = ?", (fresh.id,)
    )

    assert database.execute("SELECT id FROM stale_sessions").fetchall() == [(quiet.id,)]


def test_sessions_are_listed_by_effort_and_by_project(work: WorkStore, tmp_path: Path) -> None:
    """The newest first, as many as asked for."""
    effort = begun(work, tmp_path)
    other = window(work, "u-0", begun(work, tmp_path / "other"))
    one, two = window(work, "u-1", effort), window(work, "u-2", effort)
    project_id = work.tasks.get(effort.task_id).project_id

    assert [session.id for session in work.sessions.listed(effort_id=effort.id)] == [two.id, one.id]
    assert [session.id for session in work.sessions.listed(project_id=project_id, open_only=True)] == [two.id]
    assert [session.id for session in work.sessions.listed(most=2)] == [two.id, one.id]
    assert other.id in [session.id for session in work.sessions.listed()]


def test_a_window_that_closes_takes_its_sub_agents_along(work: WorkStore, tmp_path: Path) -> None:
    """Others on the same effort stay; ending it again ends nothing."""
    effort = begun(work, tmp_path)
    window(work, "u-1", effort)
    window(work, "u-1", effort, agent_id="sub")
    other = window(work, "u-2")

    assert work.sessions.end_all("u-1", "exit") == 2
    assert work.sessions.end_all("u-1") == 0
    assert [session.id for session in work.sessions.listed(open_only=True)] == [other.id]
    last = work.sessions.last_of("u-1", "sub")
    assert last is not None
    assert last.end_reason == "exit"
