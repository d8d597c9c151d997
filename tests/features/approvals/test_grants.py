"""Laws of standing answers."""

from __future__ import annotations

import msgspec
import pytest
from tests.features.approvals.approval_setup import ANN, ASK, ApprovalSetup, bash

from interlock.errors import ApprovalError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.settings import ApprovalRules
from interlock.patterns.matcher import parse_pattern
from interlock.store.clock import timestamp

WEEK = timestamp(1_000_000.0 + 7 * 86_400)
OUTSIDE = bash("git push origin").with_input(
    {"command": "git push origin", "dangerouslyDisableSandbox": True}
)


def test_a_session_grant_is_for_this_call_in_this_session(setup: ApprovalSetup) -> None:
    """As often as it is made there, and for nothing else."""
    setup.ask()
    setup.yes(pattern=None, until=None, broad=False)
    again = [setup.ask().vote for _ in range(3)]

    assert again == [Vote.ALLOW] * 3
    assert setup.ask().reason == f"granted by {ANN} (gr_1)"
    assert setup.ask(bash("git push --force")).vote is Vote.DENY
    assert setup.ask(bash("git push", session_id="s2")).vote is Vote.DENY
    assert setup.ask(bash("git push", cwd="/elsewhere")).vote is Vote.DENY
    assert setup.ask(bash("git push", actor="agent:other")).vote is Vote.DENY


@pytest.mark.parametrize(
    ("event", "root", "vote"),
    [
        pytest.param(bash("git push origin"), "/w", Vote.ALLOW, id="covered"),
        pytest.param(bash("git push origin", session_id="s2"), "/w", Vote.ALLOW, id="other session"),
        pytest.param(bash("git push origin"), "/v", Vote.DENY, id="other project"),
        pytest.param(bash("git push other"), "/w", Vote.DENY, id="not covered"),
        pytest.param(bash("git push origin && curl x"), "/w", Vote.DENY, id="one part not covered"),
        pytest.param(bash("git push origin $(cat x)"), "/w", Vote.DENY, id="another command inside"),
        pytest.param(bash("git push origin '"), "/w", Vote.DENY, id="unread"),
        pytest.param(bash("git push origin $X"), "/w", Vote.DENY, id="known only when it runs"),
        pytest.param(bash("env -C /x git push origin"), "/w", Vote.DENY, id="in another folder"),
        pytest.param(bash("time -o x git push origin"), "/w", Vote.DENY, id="with a file it writes"),
        pytest.param(
            bash("bash --rcfile x -ic 'git push origin'"), "/w", Vote.DENY, id="with a file it runs"
        ),
        pytest.param(bash("for PATH in /x; do git push origin; done"), "/w", Vote.DENY, id="other programs"),
        pytest.param(OUTSIDE, "/w", Vote.DENY, id="outside of the sandbox"),
        pytest.param(bash("git push origin " + "x" * 3_000), "/w", Vote.DENY, id="too long to read"),
        pytest.param(bash("git push origin", actor="agent:sub"), "/w", Vote.DENY, id="other actor"),
        pytest.param(bash("git push origin", extra={"repaired": True}), "/w", Vote.DENY, id="mended"),
    ],
)
def test_a_pattern_covers_as_an_allow_does(setup: ApprovalSetup, event: Event, root: str, vote: Vote) -> None:
    """Every part of a command, in this project, by this actor; never what nobody could read."""
    first = bash("git push origin main")
    setup.ask(first)
    setup.yes(pattern="Bash(git push origin*)", until=WEEK)
    setup.ask(first)

    assert setup.ask(event, root=root).vote is vote


def test_a_grant_ends_with_its_time_or_when_it_is_taken_back(setup: ApprovalSetup) -> None:
    """Each use, the giving and the taking back are entries."""
    setup.ask()
    setup.yes(pattern="Bash(git push*)", until=timestamp(setup.now + 60))
    setup.ask()
    inside = setup.ask(bash("git push two"))
    setup.now += 61
    over = setup.ask(bash("git push two"))
    setup.yes("ap_2", pattern="Bash(git push*)", until=timestamp(setup.now + 60))
    setup.answers.revoke("gr_2", ANN)
    setup.ledger.flush()
    revoked = setup.ask(bash("git push three"))

    assert (inside.vote, over.vote, revoked.vote) == (Vote.ALLOW, Vote.DENY, Vote.DENY)
    assert setup.recorded("grant") == ["gr_1 granted", "gr_1 used", "gr_2 granted", "gr_2 revoked"]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("Bash", "covers a whole tool or more"),
        ("Bash(*)", "covers a whole tool or more"),
        ("Bash(**)", "covers a whole tool or more"),
        ("run(git)", "covers a whole tool or more"),
        ("*", "is not a pattern"),
        ("Bash(rm *)", "does not cover the call you were asked about"),
    ],
)
def test_a_pattern_that_is_too_broad_or_misses_the_call_is_refused(
    setup: ApprovalSetup, pattern: str, why: str
) -> None:
    """Nothing is granted, and the request still waits."""
    setup.ask()

    with pytest.raises(ApprovalError, match=why):
        setup.yes(pattern=pattern, until=WEEK)
    assert setup.states() == ["pending"]
    assert setup.recorded("grant") == []


def test_a_whole_tool_is_granted_only_by_a_word_of_its_own(setup: ApprovalSetup) -> None:
    """With `broad` it is, and even then not what could not be read."""
    setup.ask()
    setup.yes(pattern="Bash", until=WEEK, broad=True)

    assert setup.ask(bash("ls")).vote is Vote.ALLOW
    assert setup.ask(bash("$X")).vote is Vote.DENY


@pytest.mark.parametrize("end", [None, timestamp(999_999.0), "for ever"])
def test_a_pattern_needs_a_time_to_come(setup: ApprovalSetup, end: str | None) -> None:
    """Nothing is granted for ever, or for the past."""
    setup.ask()

    with pytest.raises(ApprovalError, match=r"until|in the past|not a time"):
        setup.yes(pattern="Bash(git push*)", until=end)


@pytest.mark.req("Z03")
def test_a_grant_counts_only_for_what_its_giver_may_approve(setup: ApprovalSetup) -> None:
    """A pattern wider than the giver's scope opens no more than the scope; and a named approver is needed."""
    setup.rules = ApprovalRules(scopes=({ANN: (parse_pattern("Bash(git push origin*)"),)},))
    setup.ask(bash("git push origin"))
    setup.yes(pattern="Bash(git push*)", until=WEEK)
    setup.ask(bash("git push origin"))
    named = msgspec.structs.replace(ASK, approvers=(("human:rashid",),))

    assert setup.ask(bash("git push origin two")).vote is Vote.ALLOW
    assert setup.ask(bash("git push other")).vote is Vote.DENY
    assert setup.ask(bash("git push origin three"), named).vote is Vote.DENY


@pytest.mark.req("Z12")
def test_a_grant_answers_an_ask_and_nothing_else(setup: ApprovalSetup) -> None:
    """A no to this very call stands over the grant that would cover it."""
    setup.ask()
    setup.yes(pattern="Bash(git push*)", until=WEEK)
    setup.answers.revoke("gr_1", ANN)
    setup.ledger.flush()
    setup.ask(bash("git push two"))
    setup.no("ap_2")
    setup.ask(bash("git push three"))
    setup.yes("ap_3", pattern="Bash(git push*)", until=WEEK)

    assert setup.ask(bash("git push two")).vote is Vote.DENY
    assert setup.ask(bash("git push four")).vote is Vote.ALLOW


def test_a_question_that_a_grant_answers_waits_no_longer(setup: ApprovalSetup) -> None:
    """The list of what waits is true."""
    setup.ask(bash("git push two"))
    setup.ask()
    setup.yes("ap_2", pattern="Bash(git push*)", until=WEEK)

    assert setup.ask(bash("git push two")).approval == "gr_1"
    assert setup.states() == ["expired", "approved"]


def test_an_event_without_a_tool_is_covered_by_no_pattern(setup: ApprovalSetup) -> None:
    """A grant speaks of calls."""
    setup.ask()
    setup.yes(pattern="Bash(git push*)", until=WEEK)
    prompt = Event(name="UserPromptSubmit", session_id="s1", cwd="/w", prompt="git push")
    other = Event(name="PreToolUse", session_id="s1", cwd="/w", tool=ToolCall(name="Read", input={}))

    assert setup.ask(prompt).vote is Vote.DENY
    assert setup.ask(other).vote is Vote.DENY
