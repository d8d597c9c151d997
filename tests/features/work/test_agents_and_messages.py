"""Laws of agents and messages: five words for how an agent is, and everything said in its order."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.features.work.place_of_work import Clock, begun, window

from interlock.features.work.records import STATUSES, Code, FleetRow, RefusedError
from interlock.features.work.store import WorkStore


@pytest.mark.req("E62")
def test_an_agents_status_is_one_of_five_words(work: WorkStore) -> None:
    """Any other is refused; an unknown agent is not an error."""
    work.agents.register("a")
    for status in STATUSES:
        assert work.agents.set_status("a", status)
    with pytest.raises(RefusedError, match="use one of working, idle") as caught:
        work.agents.set_status("a", "checked")

    assert caught.value.code == Code.BAD_STATUS
    assert not work.agents.set_status("nobody", "done")


def test_what_is_not_said_of_an_agent_stays(work: WorkStore, tmp_path: Path) -> None:
    """A parent that nobody has seen yet is noticed with it, and nobody is their own parent."""
    effort = begun(work, tmp_path)
    work.agents.register("a", label="one", effort_id=effort.id, pane="%1", tmux="/s,1,0")
    kept = work.agents.register("a", parent="boss", host_session_id="u-1")

    assert (kept.label, kept.effort_id, kept.pane, kept.tmux) == ("one", effort.id, "%1", "/s,1,0")
    assert (kept.parent, work.agents.of_host("u-1")) == ("boss", kept)
    assert work.agents.get("boss") is not None
    assert work.agents.register("c", parent="c").parent is None


def seen_by_people(work: WorkStore, agent: str) -> FleetRow:
    return next(row for row in work.agents.listed() if row.agent == agent)


@pytest.mark.req("X22")
def test_looking_at_an_agent_is_no_status(work: WorkStore, clock: Clock) -> None:
    """An end is unchecked until somebody looked, and the next one is again."""
    work.agents.register("a")
    shown = []
    for status in ("working", "done"):
        work.agents.set_status("a", status)
        shown.append(seen_by_people(work, "a"))
    clock.now += 1
    assert work.agents.check("a")
    shown.append(seen_by_people(work, "a"))
    clock.now += 1
    work.agents.set_status("a", "working")
    work.agents.set_status("a", "done")
    shown.append(seen_by_people(work, "a"))

    assert [row.shown for row in shown] == ["working", "unchecked", "done", "unchecked"]
    assert not work.agents.check("nobody")


def test_the_time_of_a_status_is_when_it_began(work: WorkStore, clock: Clock) -> None:
    """Saying it again does not make it younger."""
    work.agents.register("a")
    work.agents.set_status("a", "working")
    first = work.agents.get("a")
    clock.now += 60
    work.agents.set_status("a", "working")

    assert first is not None
    assert work.agents.get("a") == first


def test_the_fleet_lists_those_first_that_need_a_person(work: WorkStore, tmp_path: Path) -> None:
    """With their effort, their own session and the effort's own threshold."""
    effort = begun(work, tmp_path, metadata={"blockAfter": 4})
    for name, status in (("d", "done"), ("w", "working"), ("e", "error"), ("a", "attention"), ("i", "idle")):
        work.agents.register(name, effort_id=effort.id if name == "w" else None, host_session_id=f"u-{name}")
        work.agents.set_status(name, status)
    session, plain = window(work, "u-w", effort), window(work, "u-e")
    window(work, "u-w", effort, agent_id="sub")
    rows = work.agents.listed()

    assert [row.agent for row in rows] == ["e", "a", "w", "d", "i"]
    assert (rows[2].session_id, rows[2].skill, rows[2].block_after) == (session.id, "implement", 4)
    assert (rows[0].session_id, rows[0].effort_id) == (plain.id, None)


def test_messages_come_in_pages_the_oldest_first(work: WorkStore, tmp_path: Path) -> None:
    """A page ends before the one it is asked to, and other sessions' are left out."""
    effort = begun(work, tmp_path)
    session, other = window(work, "u-1", effort), window(work, "u-2")
    ids = [work.messages.add(session.id, "user", str(number)) for number in range(5)]
    work.messages.add(other.id, "assistant", "else", "Bash")
    work.messages.add_many(session.id, [("assistant", "5", None, "2026-01-01T00:00:00.000Z")])

    assert work.messages.count(session.id) == 6
    assert [one.content for one in work.messages.of_session(session.id, 2)] == ["4", "5"]
    assert [one.content for one in work.messages.of_session(session.id, 2, before=ids[2])] == ["0", "1"]
    assert [one.content for one in work.messages.of_effort(effort.id, 2)] == ["4", "5"]
    assert [(one.content, one.tool_name) for one in work.messages.of_session(other.id, 2)] == [
        ("else", "Bash")
    ]


def test_messages_go_by_when_they_were_said(work: WorkStore, clock: Clock) -> None:
    """So many at once; the session they were said in stays."""
    session = window(work)
    for day in ("2025-11-01", "2025-12-31", "2025-10-01"):
        work.messages.add(session.id, "user", day, timestamp=f"{day}T10:00:00Z")
    work.messages.add(session.id, "user", "today")

    assert work.messages.forget("2025-12-01T00:00:00.000Z", 1) == 1
    assert work.messages.forget("2025-12-01T00:00:00.000Z", 5) == 1
    assert work.messages.forget("2025-12-01T00:00:00.000Z", 5) == 0
    assert [one.content for one in work.messages.of_session(session.id, 9)] == ["2025-12-31", "today"]
    assert work.sessions.get(session.id) == session


@pytest.mark.parametrize("told", ["", "soon", "9999-01-01T00:00:00Z", "zzzz-zz-zzTx", "2026-01-02T00:00:00Z"])
def test_a_time_that_cannot_be_is_that_of_keeping(work: WorkStore, told: str) -> None:
    """A transcript is written by others; what claims to be of tomorrow would be kept for ever."""
    session = window(work)
    work.messages.add(session.id, "user", "x", timestamp=told)

    assert work.messages.of_session(session.id, 1)[0].timestamp == "2026-01-01T00:00:00.000Z"


def test_an_agent_is_found_by_its_name_and_so_is_who_coordinates_it(work: WorkStore) -> None:
    """Its own name before a label; whoever manages it, or its team, before its parent."""
    work.agents.register("tests", label="painter", parent="boss")
    work.agents.register("painter", label="tests")
    painter, tests = work.agents.find_by_name("painter"), work.agents.find_by_name("tests")

    assert painter is not None
    assert tests is not None
    assert (painter.id, tests.id, work.agents.find_by_name("nobody")) == ("painter", "tests", None)
    assert work.agents.coordinator_of(painter) is None
    parent = work.agents.coordinator_of(tests)
    assert parent is not None
    assert parent.id == "boss"
    work.agents.register("lead")
    work.agents.set_manages("lead", ["red team", "tests"])
    assert work.agents.coordinator_of(tests) == work.agents.get("lead")
    assert work.agents.coordinator_of(painter, ["red team"]) == work.agents.get("lead")


def test_an_agent_that_left_its_effort_does_not_show_another_s_session(
    work: WorkStore, tmp_path: Path
) -> None:
    """Where it says which session it is in, no other counts for it."""
    effort = begun(work, tmp_path)
    work.agents.register("old", effort_id=effort.id, host_session_id="u-1")
    work.agents.register("silent", effort_id=effort.id)
    window(work, "u-1", effort)
    taken = window(work, "u-2", effort)
    old, silent = seen_by_people(work, "old"), seen_by_people(work, "silent")

    assert (old.session_id, silent.session_id) == (None, taken.id)
