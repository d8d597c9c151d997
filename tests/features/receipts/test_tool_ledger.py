"""Laws of the ledger of calls: each step once, and a crash between two steps is mended."""

from __future__ import annotations

import sqlite3

import pytest
from tests.features.receipts.receipt_setup import Calls, broke, send, sent

from interlock.store.clock import timestamp


def begun(calls: Calls) -> str:
    """The name of a call that was prepared."""
    calls.report(send())
    return calls.rows()[0].name


@pytest.mark.req("U23")
def test_a_call_goes_from_prepared_to_running_to_its_end_and_never_back(calls: Calls) -> None:
    """Each step is taken once; what has ended stays ended."""
    name = begun(calls)

    assert [calls.tools.running(name), calls.tools.running(name)] == [True, False]
    assert [calls.tools.succeeded(name), calls.tools.succeeded(name)] == [True, False]
    assert [calls.tools.failed(name), calls.tools.running(name)] == [False, False]
    assert calls.statuses() == ["succeeded"]


@pytest.mark.req("U23")
def test_a_call_whose_response_was_kept_has_ended_though_its_end_was_not_written(calls: Calls) -> None:
    """The receipt is pending until then, and is found at the next start."""
    name, other = begun(calls), "t9"
    calls.report(send(other, tool="mcp__x__create"))
    calls.tools.receive(name, {"id": "m1"})
    assert [one.state for one in calls.tools.receipts(calls.tools.get(name))] == ["final", "pending"]

    assert calls.tools.recover() == [name]
    assert calls.tools.recover() == []
    assert calls.statuses() == ["succeeded", "prepared"]
    assert [one.state for one in calls.tools.receipts(calls.tools.get(name))] == ["final", "final"]


@pytest.mark.req("U22")
def test_a_row_says_by_what_it_was_classed(calls: Calls) -> None:
    """Raw name, namespace, tool, class, policy and hash stand in columns of their own."""
    begun(calls)
    calls.connection.row_factory = sqlite3.Row
    row = calls.connection.execute("SELECT * FROM tool_calls").fetchone()

    assert (row["raw_tool_name"], row["tool_namespace"], row["tool_name"]) == (
        "mcp__gmail__send_email", "gmail", "send_email",
    )  # fmt: skip
    assert (row["run_id"], row["policy_matched"], row["policy_rule_id"]) == ("s1", "verb", "send")
    assert len(row["normalized_args_hash"]) == len(row["idempotency_key"]) == 64
    assert row["request_ref"]


def test_old_calls_that_ended_are_removed_with_their_receipts(calls: Calls) -> None:
    """What has no end, or waits for a person, stays however old it is."""
    calls.report(send("t1"))
    calls.report(sent("t1"))
    calls.report(send("t2", tool="mcp__x__create"))
    calls.report(send("t3", tool="mcp__x__delete"))
    calls.report(broke("t3", tool="mcp__x__delete"))
    calls.now += 100
    calls.report(send("t4", tool="Read"))
    calls.report(sent("t4", tool="Read"))

    assert calls.tools.forget(timestamp(calls.now - 50), 100) == 1
    assert [row.use_id for row in calls.rows()] == ["t4", "t3", "t2"]
    kept = calls.connection.execute("SELECT count(DISTINCT call) FROM tool_receipts").fetchone()[0]
    assert kept == 3
