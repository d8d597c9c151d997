"""Laws of the book of calls: written with the decision or not at all, and never twice."""

from __future__ import annotations

import sqlite3
from typing import Any

import msgspec
import pytest
from tests.features.receipts.receipt_setup import ALLOW, DENY, MAIL, Calls, broke, send, sent, with_input

from interlock.effects.classification.classify import Repeat, RunScope
from interlock.errors import HookFailedError, StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.features.receipts.hook import DETECTED
from interlock.redaction.redactor import Redactor


@pytest.mark.req("U2", "U9", "U23")
def test_a_call_is_prepared_before_it_runs_and_closed_after_it(calls: Calls) -> None:
    """Input, output, duration and status are on record."""
    calls.report(send())
    assert calls.statuses() == ["prepared"]
    calls.now += 1.5
    calls.report(sent(output={"id": "m1"}))

    (row,) = calls.rows()
    request, response = calls.tools.receipts(row)
    assert (row.status, row.duration_ms, row.attempt) == ("succeeded", 1500.0, 1)
    assert (row.side_effect, row.replay, row.namespace) == ("external", "REPLAY_EXACT", "gmail")
    assert msgspec.json.decode(request.head) == MAIL
    assert (response.head, response.state) == ('{"id":"m1"}', "final")


@pytest.mark.req("U9")
def test_a_failed_call_is_closed_with_its_error(calls: Calls) -> None:
    """The host's own duration counts where it tells one."""
    calls.report(send())
    calls.report(broke(extra={"duration_ms": 12, "is_interrupt": True}))

    (row,) = calls.rows()
    assert (row.status, row.error_code, row.error_detail, row.duration_ms) == (
        "failed", "interrupted", "timeout", 12.0,
    )  # fmt: skip


@pytest.mark.req("U9")
def test_a_call_nobody_saw_begin_is_recorded_when_it_ends(calls: Calls) -> None:
    """The hook may be newer than the call."""
    calls.report(sent())

    assert calls.statuses() == ["succeeded"]


@pytest.mark.req("U25")
def test_a_repeat_of_a_call_that_succeeded_is_denied_with_its_receipt(calls: Calls) -> None:
    """The first 500 characters of it stand for the call."""
    calls.report(send())
    calls.report(sent(output="r" * 2_000))
    again = calls.report(send("t2"))

    assert again.vote is Vote.DENY
    assert again.reason is not None
    assert again.reason.startswith(DETECTED)
    assert again.reason.count("r" * 499) == 1
    assert "r" * 500 not in again.reason  # the receipt is JSON: its first character is a quote
    assert calls.statuses() == ["succeeded"]


@pytest.mark.req("U25")
@pytest.mark.parametrize(("repeat", "vote"), [("ask", Vote.ASK), ("allow", Vote.ABSTAIN)])
def test_the_policy_says_what_a_repeat_is(database: sqlite3.Connection, repeat: str, vote: Vote) -> None:
    """Where it is allowed, it is recorded under a key of its own."""
    calls = Calls(database, repeat=Repeat(repeat))
    calls.report(send())
    calls.report(sent())
    again = calls.report(send("t2"), ALLOW)

    assert again.vote is vote
    newest, first = calls.rows()
    assert newest.call_key == first.call_key
    assert newest.idempotency_key != first.idempotency_key


@pytest.mark.req("U25")
@pytest.mark.parametrize(("tool", "tool_input"), [("Read", {"file_path": "/w/a"}), ("Task", {"prompt": "x"})])
def test_what_only_reads_or_launches_runs_again(calls: Calls, tool: str, tool_input: dict[str, str]) -> None:
    """Under a nonce, also where repeats are denied."""
    about: Any = {"tool": tool, "tool_input": tool_input}
    calls.report(send("t1", **about))
    calls.report(sent("t1", **about))

    assert calls.report(send("t2", **about)).vote is Vote.ABSTAIN
    assert len({row.idempotency_key for row in calls.rows()}) == 2


def test_a_call_that_failed_may_be_made_again(calls: Calls) -> None:
    """And when that succeeds, nobody needs to look any more."""
    calls.report(send())
    calls.report(broke())
    assert calls.report(send("t2")).vote is Vote.ABSTAIN
    assert [run["run"] for run in calls.tools.waiting(9)] == ["s1"]
    calls.report(sent("t2"))

    assert calls.tools.waiting(9) == []
    assert calls.report(send("t3")).vote is Vote.DENY


@pytest.mark.req("U28")
def test_a_failed_call_that_left_a_mark_elsewhere_sets_its_run_waiting(calls: Calls) -> None:
    """What failed on this machine, or only reads, is the agent's own to mend."""
    for number, (tool, waits) in enumerate(
        [("Read", False), ("Write", False), ("mcp__gmail__send_email", True)]
    ):
        calls.report(send(f"t{number}", tool=tool))
        calls.report(broke(f"t{number}", tool=tool))
        assert calls.rows()[0].waits is waits
    assert [run["call"] for run in calls.tools.waiting(9)] == [calls.rows()[0].name]


@pytest.mark.parametrize(("scope", "vote"), [(RunScope.SESSION, Vote.ABSTAIN), (RunScope.PROJECT, Vote.DENY)])
def test_a_scope_says_where_a_call_counts_as_made(
    database: sqlite3.Connection, scope: RunScope, vote: Vote
) -> None:
    """In its session, or in its project whichever session it is."""
    calls = Calls(database, scope=scope)
    calls.report(send())
    calls.report(sent())

    assert calls.report(send("t2", session_id="s2")).vote is vote
    assert calls.report(send("t3", session_id="s3", cwd="/elsewhere")).vote is Vote.ABSTAIN


def test_of_two_identical_calls_at_once_one_is_prepared(calls: Calls) -> None:
    """Both are judged before either is settled, as calls of one turn are."""
    first, second = send("t1"), send("t2")
    votes = [calls.judge(event).vote for event in (first, second)]
    for event, vote in zip((first, second), votes, strict=True):
        calls.book.settle(event, Decision(vote=vote))
    calls.ledger.append("decision", "a", "", {})
    calls.ledger.flush()

    assert votes == [Vote.ABSTAIN, Vote.DENY]
    assert [row.use_id for row in calls.rows()] == ["t1"]


def test_a_call_that_is_denied_by_anybody_is_not_recorded(calls: Calls) -> None:
    """It did not happen, and stands in nobody's way."""
    calls.report(send(), DENY)

    assert calls.rows() == []
    assert calls.report(send("t2")).vote is Vote.ABSTAIN


def test_what_is_recorded_is_what_would_run(calls: Calls) -> None:
    """The input as the hooks left it."""
    calls.report(send(), Decision(vote=Vote.ALLOW, updated_input={**MAIL, "to": "eve@example.org"}))

    (row,) = calls.rows()
    assert "eve@example.org" in row.summary
    assert calls.report(send("t2")).vote is Vote.ABSTAIN
    assert calls.report(with_input(send("t3"), to="eve@example.org")).vote is Vote.DENY


@pytest.mark.req("U26")
def test_without_the_store_no_call_runs(calls: Calls) -> None:
    """Neither when it cannot be asked nor when it cannot be written."""
    calls.judge(send("t1"))
    calls.connection.execute("DROP TABLE tool_receipts")
    with pytest.raises(StoreError, match="cannot be recorded"):
        calls.book.settle(send("t1"), ALLOW)
    calls.connection.execute("DROP VIEW waiting_runs")
    calls.connection.execute("DROP TABLE tool_calls")
    with pytest.raises(HookFailedError, match="cannot be recorded"):
        calls.judge(send("t2"))


@pytest.mark.req("U26")
def test_a_row_falls_with_the_entry_it_belongs_to(calls: Calls) -> None:
    """What the ledger cannot record is not prepared either."""
    calls.judge(send())
    calls.book.settle(send(), ALLOW)
    calls.ledger.append("decision", "a", "", {})
    calls.connection.execute("ROLLBACK")  # as the engine does by itself on a full disk
    with pytest.raises(StoreError):
        calls.ledger.flush()

    assert calls.rows() == []


def test_a_call_that_is_refused_after_all_is_withdrawn(calls: Calls) -> None:
    """It never ran: nothing is unfinished, and it may be made again."""
    calls.report(send())
    calls.book.withdraw(send())
    calls.ledger.append("refused", "a", "", {})
    calls.ledger.flush()

    assert [(row.status, row.error_code) for row in calls.rows()] == [("failed", "refused")]
    assert calls.report(send("t2")).vote is Vote.ABSTAIN


def test_an_id_used_again_for_another_call_is_another_call(calls: Calls) -> None:
    """Its end closes the newer one."""
    calls.report(send())
    calls.report(with_input(send(), subject="other"))
    calls.report(with_input(sent(), subject="other"))

    assert calls.statuses() == ["prepared", "succeeded"]


def test_a_host_without_ids_closes_the_newest_call_like_it(calls: Calls) -> None:
    """By its key."""
    calls.report(send(None))
    calls.report(sent(None))

    assert calls.statuses() == ["succeeded"]


def test_secrets_are_in_no_row(database: sqlite3.Connection) -> None:
    """Neither in what went in nor in what came back, nor in the error."""
    secret = "ghp_" + "a1B2" * 9
    calls = Calls(database, redact=Redactor(b"k" * 32).body)
    for use_id in ("t1", "t2"):
        calls.report(with_input(send(use_id), token=secret, n=use_id))
    calls.report(with_input(sent("t1", output=f"token {secret}"), token=secret))
    calls.report(msgspec.structs.replace(broke("t2"), error=f"bad token {secret}"))

    stored = "\n".join(database.iterdump())
    assert secret not in stored
    assert "[secret:" in stored


@pytest.mark.req("U9")
def test_a_long_output_is_kept_by_head_tail_and_digest(calls: Calls) -> None:
    """16 KB at most, cut after secrets were taken out."""
    calls.report(send())
    calls.report(sent(output="a" * 20_000 + "z" * 20_000))

    response = calls.tools.receipts(calls.rows()[0])[1]
    assert (len(response.head), len(response.tail), response.bytes) == (8_192, 8_192, 40_002)
    assert response.tail.endswith('z"')
    assert f"23,618 bytes left out, sha256 of all: {response.sha256}" in response.text


def test_a_call_reported_once_more_under_its_own_id_is_no_repeat_of_itself(calls: Calls) -> None:
    """The daemon may have died between the record and the answer; another id is another try."""
    votes = [calls.report(send("t1")).vote, calls.report(send("t1")).vote, calls.report(send("t2")).vote]

    assert votes == [Vote.ABSTAIN, Vote.ABSTAIN, Vote.DENY]
    assert len(calls.rows()) == 1


def test_a_call_the_host_turns_down_after_us_has_ended(calls: Calls) -> None:
    """It never ran; and one that nobody saw begin leaves nothing."""
    calls.report(send())
    calls.report(send(name="PermissionDenied", extra={"reason": "auto mode said no"}))
    calls.report(send("t9", name="PermissionDenied"))

    (row,) = calls.rows()
    assert (row.status, row.error_code, row.error_detail) == ("failed", "refused", "auto mode said no")
    assert row.waits is False


@pytest.mark.parametrize("name", ["UserPromptSubmit", "Stop"])
def test_what_the_host_never_ended_in_a_turn_that_is_over_did_not_run(calls: Calls, name: str) -> None:
    """A person turned it down at the host's prompt; of what reaches elsewhere nobody concludes that."""
    calls.report(send("t1", tool="Write"))
    calls.report(send("t2", tool="Edit", agent_id="a1"))
    calls.report(send("t3"))
    calls.report(send("t4", tool="Write", session_id="s2"))
    over = Event(name=name, session_id="s1")
    calls.book.settle(over, ALLOW)
    calls.ledger.append("decision", "a", "", {})
    calls.ledger.flush()

    states = {row.use_id: (row.status, row.error_code) for row in calls.rows()}
    assert states.pop("t1") == ("failed", "not_run")
    assert set(states.values()) == {("prepared", None)}
    calls.report(sent("t1", tool="Write"))  # it did run: a prompt can be typed meanwhile
    assert calls.statuses()[0] == "succeeded"


def test_after_a_new_start_of_a_session_nothing_is_concluded(calls: Calls) -> None:
    """Its host may have died in the middle of the call."""
    calls.report(send("t1", tool="Write"))
    for name in ("SessionStart", "UserPromptSubmit", "Stop"):
        calls.book.settle(Event(name=name, session_id="s1"), ALLOW)

    assert calls.statuses() == ["prepared"]
