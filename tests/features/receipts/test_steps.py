"""Before the first calls of a step it is kept where things stood."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.features.receipts.receipt_setup import DENY, Calls, send, sent

from interlock.events.event import Event


def prompt(session: str = "s1", name: str = "UserPromptSubmit") -> Event:
    return Event(name=name, session_id=session, cwd="/w", prompt="go on")


def marks(calls: Calls, session: str | None = None) -> list[tuple[str, str]]:
    """Kind and call of each, the oldest first."""
    found = [(one.kind, one.call) for one in calls.tools.marks(session, 100)]
    return found[::-1]


@pytest.mark.req("U28")
def test_a_step_is_marked_before_its_first_reading_and_its_first_marking_call(calls: Calls) -> None:
    """One step mark of each kind in a step, named by the call it was taken before."""
    for number, tool in enumerate(["Read", "Read", "Write", "Read", "mcp__gmail__send_email"]):
        calls.report(send(f"t{number}", tool=tool, tool_input={"file_path": f"/w/{number}"}))
    first, _, third, *_ = [row.name for row in calls.rows()][::-1]

    assert marks(calls) == [("read_only", first), ("side_effect", third)]


@pytest.mark.req("U28")
@pytest.mark.parametrize("name", ["UserPromptSubmit", "SessionStart"])
def test_a_prompt_begins_another_step(calls: Calls, name: str) -> None:
    """Each step has marks and calls of its own; other sessions are in steps of their own."""
    calls.report(send("t1"))
    calls.report(sent("t1"))
    calls.report(send("t2", session_id="s2"))
    calls.book.settle(prompt(name=name), DENY)
    calls.report(send("t3", tool="Write"))
    calls.report(send("t4", tool="Edit"))
    steps = {row.use_id: row.step for row in calls.rows()}

    assert len(calls.tools.marks(None, 9)) == 3
    assert steps["t1"] not in {steps["t2"], steps["t3"]}
    assert steps["t3"] == steps["t4"]


@pytest.mark.req("U28")
def test_a_sub_agents_start_does_not_end_the_step_it_belongs_to(calls: Calls) -> None:
    """What a sub-agent is asked is part of the same piece of work."""
    calls.report(send("t1"))
    calls.book.settle(Event(name="UserPromptSubmit", session_id="s1", agent_id="a1"), DENY)
    calls.report(send("t2", tool_input={"to": "else"}))

    assert len({row.step for row in calls.rows()}) == 1


@pytest.mark.req("U28")
def test_after_a_restart_the_next_call_begins_a_step(database: sqlite3.Connection) -> None:
    """A daemon that remembers nothing takes one mark too many, and none too few."""
    Calls(database).report(send("t1"))
    again = Calls(database)
    again.report(send("t2", tool="Write"))

    assert len(again.tools.marks(None, 9)) == 2


@pytest.mark.req("U28")
def test_a_denied_call_leaves_no_step_mark(calls: Calls) -> None:
    """What did not happen had no moment before it."""
    calls.report(send("t1"), DENY)

    assert marks(calls) == []


@pytest.mark.req("U28")
def test_a_step_mark_says_where_everything_stood(calls: Calls, tmp_path: Path) -> None:
    """The end of the ledger, the place, its commit, and how far the talk was."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text(f"{'a1' * 20}\n")
    talk = tmp_path / "talk.jsonl"
    talk.write_text("x" * 41)
    calls.ledger.append("decision", "agent:main", "", {})
    calls.ledger.flush()
    place = {"cwd": str(tmp_path), "transcript_path": str(talk), "commitment_id": "cmt_00000001"}

    calls.report(send("t1", **place))
    state = calls.tools.marks("s1", 1)[0].state

    assert state["ledger"]["seq"] == 1
    assert len(state["ledger"]["hash"]) == 64
    assert state["transcript"] == {"path": str(talk), "bytes": 41}
    assert state["git"] == {"commit": "a1" * 20}
    assert (state["cwd"], state["commitment_id"]) == (str(tmp_path), "cmt_00000001")


@pytest.mark.req("U28")
def test_steps_are_forgotten_with_old_calls(calls: Calls) -> None:
    """Retention leaves no mark of a call that is gone."""
    calls.report(send("t1"))
    calls.report(sent("t1"))
    calls.now += 10
    calls.tools.forget(calls.tools.now(), 100)

    assert (calls.rows(), marks(calls)) == ([], [])
