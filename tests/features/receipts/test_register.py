"""Laws of what people see and say about id of a calls."""

from __future__ import annotations

import sqlite3

import pytest
from tests.features.receipts.receipt_setup import Calls, broke, send, sent

from interlock.errors import StoreError
from interlock.events.verdict import Vote
from interlock.features.receipts.records import context_of, how_to_look, message_of
from interlock.features.receipts.service import RecordedCalls


def unfinished(calls: Calls) -> str:
    """The name of a call that began and has no end."""
    calls.report(send())
    return calls.rows()[0].name


@pytest.mark.req("U29")
def test_a_call_without_a_known_end_is_not_repeated_until_a_person_has_looked(calls: Calls) -> None:
    """The reason says what may have happened, and how to settle it."""
    name = unfinished(calls)
    again = calls.report(send("t2"))

    assert again.vote is Vote.DENY
    assert again.reason is not None
    assert "it may have happened" in again.reason
    assert f"interlock receipts resolve {name}" in again.reason


@pytest.mark.req("U29")
@pytest.mark.parametrize(
    ("answer", "vote"), [("succeeded", Vote.DENY), ("failed", Vote.ABSTAIN), ("retry", Vote.ABSTAIN)]
)
def test_what_a_person_says_decides_about_the_next_try(calls: Calls, answer: str, vote: Vote) -> None:
    """Each answer is an entry of the ledger."""
    name = unfinished(calls)
    found = calls.resolve(name, answer)

    assert found.resolved_by == "human:ann"
    assert calls.report(send("t2")).vote is vote
    (entry,) = calls.entries("receipt")
    assert (entry["receipt"], entry["answer"], entry["by"], entry["tool"]) == (
        name, answer, "human:ann", "mcp__gmail__send_email",
    )  # fmt: skip


@pytest.mark.req("U29")
def test_a_call_in_flight_is_tried_twice_at_most(calls: Calls) -> None:
    """After the second try somebody must find out how it ended."""
    calls.resolve(unfinished(calls), "retry")
    calls.report(send("t2"))
    second = calls.rows()[0]
    assert second.attempt == 2

    with pytest.raises(StoreError, match="attempt 2 of 2"):
        calls.tools.resolve(second.name, "retry", by="human:ann")
    calls.resolve(second.name, "failed")
    assert [row.status for row in calls.rows()] == ["failed", "failed"]


@pytest.mark.req("U29")
def test_only_what_is_in_flight_may_be_tried_again(calls: Calls) -> None:
    """What has ended has nothing to settle, and what failed needs no leave."""
    name = unfinished(calls)
    calls.report(sent())
    for answer in ("succeeded", "failed", "retry"):
        with pytest.raises(StoreError, match="nothing to settle"):
            calls.tools.resolve(name, answer, by="human:ann")
    calls.report(send("t2", tool="mcp__x__create"))
    calls.report(broke("t2", tool="mcp__x__create"))
    failed = calls.rows()[0].name
    with pytest.raises(StoreError, match="may be tried again without an answer"):
        calls.tools.resolve(failed, "retry", by="human:ann")
    calls.resolve(failed, "failed")

    assert calls.tools.waiting(9) == []
    assert len(calls.entries("receipt")) == 1


@pytest.mark.parametrize("wrong", ["", "7", "tc_", "tc_nothing", "ap_7"])
def test_a_name_that_is_none_is_refused_in_words(calls: Calls, wrong: str) -> None:
    """Nothing is written."""
    with pytest.raises(StoreError, match=r"id of a call|no recorded call"):
        calls.tools.resolve(wrong, "failed", by="human:ann")
    assert calls.ledger.pending == 0


def test_what_the_host_reports_later_stands_over_what_a_person_said(calls: Calls) -> None:
    """It has been seen; the mail must not go out twice."""
    calls.resolve(unfinished(calls), "failed")
    calls.report(sent())

    assert calls.statuses() == ["succeeded"]
    assert calls.report(send("t2")).vote is Vote.DENY


def test_the_unfinished_of_a_project_are_those_that_may_have_left_a_mark(calls: Calls) -> None:
    """Whichever session they were of; what only reads is of no interest."""
    calls.report(send("t1"))
    calls.report(send("t2", session_id="s2"))
    calls.report(send("t3", tool="Read"))
    calls.report(send("t4", session_id="s4", project="/other"))
    calls.report(send("t5", session_id="s5"))
    calls.report(sent("t5", session_id="s5"))

    assert [call.use_id for call in calls.tools.unfinished_in("/w")] == ["t1", "t2"]
    assert [row.use_id for row in calls.rows(unfinished=True)] == ["t4", "t3", "t2", "t1"]
    assert [row.use_id for row in calls.rows(session="s2")] == ["t2"]


def test_an_agent_hears_what_may_have_happened_and_how_to_look(database: sqlite3.Connection) -> None:
    """And the person how to settle it."""
    calls = Calls(database)
    calls.report(send())
    calls.report(send("t2", tool="Bash", tool_input={"command": "touch /nowhere/a"}))
    calls.report(send("t3", tool="Task", tool_input={"subagent_type": "x"}))
    found = calls.tools.unfinished_in("/w")
    context, message = context_of(found), message_of(found)

    assert context.startswith("3 tool calls in this project")
    assert "Do not repeat them blindly" in context
    assert "mcp__gmail__send_email (external)" in context
    assert "to: bob@example.org, subject: hi, body: x; check on the other side" in context
    assert "look at `/nowhere/a`" in how_to_look(found[1])
    assert "it may be started again" in how_to_look(found[2])
    assert f"{found[0].name} (mcp__gmail__send_email)" in message
    assert "interlock receipts list --unfinished" in message


def test_a_list_always_has_a_limit(calls: Calls) -> None:
    """A number below 1 does not mean all of them."""
    for number in range(3):
        calls.report(send(f"t{number}", tool=f"Tool{number}"))
    recorded = RecordedCalls(calls.connection, calls.ledger)

    found = recorded.methods("human:ann", lambda: True)["receipts.list"]({"limit": -1})
    assert len(found["calls"]) == 1
