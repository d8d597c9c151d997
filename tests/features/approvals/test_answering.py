"""Laws of a person's yes and no."""

from __future__ import annotations

import random
import re

import msgspec
import pytest
from tests.features.approvals.approval_setup import ANN, ASK, PUSH, ApprovalSetup, bash

from interlock.errors import ApprovalError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote
from interlock.features.approvals.settings import EXPIRES_SECONDS
from interlock.redaction.redactor import Redactor

OTHER = "human:rashid"
ONE, TWO = "sk-live-" + "a1B2" * 8, "sk-live-" + "c3D4" * 8


def passes(decision: Decision) -> bool:
    """Whether the agent may go on."""
    return decision.vote is Vote.ALLOW


@pytest.mark.req("Z04", "F06")
def test_a_yes_is_good_for_one_call_and_every_step_is_an_entry(setup: ApprovalSetup) -> None:
    """Asked, approved, used, asked anew; the ledger tells the same as the table."""
    setup.ask()
    setup.yes()
    second, third = setup.ask(), setup.ask()

    assert (second.vote, second.reason, second.approval) == (Vote.ALLOW, f"approved by {ANN} (ap_1)", "ap_1")
    assert (third.vote, third.approval) == (Vote.DENY, "ap_2")
    assert setup.states() == ["used", "pending"]
    assert setup.recorded() == ["ap_1 requested", "ap_1 approved", "ap_1 used", "ap_2 requested"]


@pytest.mark.req("Z04")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param(bash("git push --force"), id="other arguments"),
        pytest.param(bash("git push", session_id="s2"), id="other session"),
        pytest.param(bash("git push", actor="agent:other"), id="other actor"),
    ],
)
def test_a_yes_serves_no_other_call(setup: ApprovalSetup, other: Event) -> None:
    """What was approved passes; anything else makes a request of its own."""
    setup.ask()
    setup.yes()

    assert not passes(setup.ask(other))
    assert passes(setup.ask())


@pytest.mark.req("Z04")
def test_a_yes_ends_when_its_time_is_over(setup: ApprovalSetup) -> None:
    """It holds as long as the question did, counted from the yes; then it is void, and that is recorded."""
    setup.ask()
    setup.now += EXPIRES_SECONDS - 1
    setup.yes()
    setup.now += EXPIRES_SECONDS - 1
    held = setup.states()
    setup.now += 1

    assert held == ["approved"]
    assert not passes(setup.ask())
    assert setup.states() == ["expired", "pending"]
    assert setup.recorded()[-2:] == ["ap_1 expired", "ap_2 requested"]


@pytest.mark.req("Z04")
def test_a_yes_does_not_serve_another_policy(setup: ApprovalSetup) -> None:
    """After a change of the policy the old yes passes nothing, and an old question takes no yes."""
    setup.ask()
    setup.ask(bash("git push two"))
    setup.yes("ap_1")
    setup.revision = "r2"

    assert not passes(setup.ask())
    with pytest.raises(ApprovalError, match="the policy changed after ap_2 was opened"):
        setup.yes("ap_2")


@pytest.mark.req("Z11")
def test_no_wins_over_a_yes_that_was_not_used(setup: ApprovalSetup) -> None:
    """In either order one answer stands, and it is the no."""
    setup.ask()
    setup.yes()
    setup.no()
    setup.ask(bash("git push two"))
    setup.no("ap_2")
    with pytest.raises(ApprovalError, match="ap_2 was denied by human:ann"):
        setup.yes("ap_2")

    assert not passes(setup.ask())
    assert not passes(setup.ask(bash("git push two")))
    assert setup.states() == ["denied", "denied"]
    assert setup.recorded()[2:] == ["ap_1 revoked", "ap_2 requested", "ap_2 denied"]


def test_a_no_comes_too_late_for_a_call_that_ran(setup: ApprovalSetup) -> None:
    """What is used cannot be taken back, and whoever tries is told."""
    setup.ask()
    setup.yes()
    setup.ask()

    with pytest.raises(ApprovalError, match="and used; an approval covers one call"):
        setup.no()
    assert setup.states() == ["used"]


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        pytest.param("", "there is no request `ap_9`", id="unknown"),
        pytest.param("yes", "already approved by human:ann", id="approved"),
        pytest.param("late", r"has expired \(at .*\); ask the agent to try again", id="expired"),
    ],
)
def test_an_answer_that_does_not_count_says_why_and_the_next_step(
    setup: ApprovalSetup, prepare: str, why: str
) -> None:
    """Nothing changes, and the sentence ends with the next step."""
    setup.ask()
    if prepare == "yes":
        setup.yes()
    elif prepare == "late":
        setup.now += EXPIRES_SECONDS

    with pytest.raises(ApprovalError, match=why):
        setup.yes("ap_1" if prepare else "ap_9")


@pytest.mark.parametrize(
    "name", ["7", "ap_", "ap_x", "gr_1", "ap_-1", "ap_1;", "ap_\u0661", "ap_" + "9" * 30]
)
def test_what_is_no_name_is_refused(setup: ApprovalSetup, name: str) -> None:
    """Only `ap_7` names a request; a bare number does too."""
    setup.ask()

    with pytest.raises(ApprovalError, match=re.escape(name)):
        setup.yes(name)


@pytest.mark.req("Z03")
def test_only_who_is_named_may_agree(setup: ApprovalSetup) -> None:
    """A hook that names an approver is answered by nobody else; each of two hooks must name them."""
    named = msgspec.structs.replace(ASK, approvers=((OTHER, ANN), (OTHER,)))
    asked = setup.ask(decision=named)
    with pytest.raises(ApprovalError, match="human:ann cannot approve this; only human:rashid can"):
        setup.yes()

    assert "ask human:rashid or human:ann and human:rashid to run" in (asked.reason or "")
    assert setup.states() == ["pending"]
    setup.yes(by=OTHER)
    assert passes(setup.ask(decision=named))


@pytest.mark.req("Z03")
def test_a_yes_of_somebody_who_is_not_named_any_more_passes_nothing(setup: ApprovalSetup) -> None:
    """A hook that names another the second time gets a request of its own."""
    named = msgspec.structs.replace(ASK, approvers=((OTHER,),))
    setup.ask()
    setup.yes()

    assert setup.ask(decision=named).approval == "ap_2"
    setup.yes("ap_2", by=OTHER)
    assert passes(setup.ask(decision=named))


@pytest.mark.req("Z02")
def test_nobody_approves_their_own(setup: ApprovalSetup) -> None:
    """An actor that asks cannot answer, whatever it is called."""
    own = bash("git push", actor=ANN)
    setup.ask(own)

    with pytest.raises(ApprovalError, match="opened ap_1 and cannot approve it; ask another person to run"):
        setup.yes()
    assert not passes(setup.ask(own))


@pytest.mark.parametrize(
    ("approvers", "next_step"),
    [
        ((ANN, OTHER), "ask human:rashid to run `interlock approve ap_1`"),
        ((ANN,), "has to add another person to `approvers` of the rule `"),
        (("any:2", ANN, OTHER), "has to add another person to `approvers` of the rule `"),
        (("any:2", ANN, OTHER, "human:bo"), "ask 2 of human:rashid, human:bo to run"),
    ],
)
def test_an_approver_who_asks_learns_who_else_can_answer(
    setup: ApprovalSetup, approvers: tuple[str, ...], next_step: str
) -> None:
    """Somebody else on the list, or whoever maintains the policy, where the list is too short."""
    setup.ask(bash("git push", actor=ANN), decision=msgspec.structs.replace(ASK, approvers=(approvers,)))

    with pytest.raises(ApprovalError, match=re.escape(next_step)):
        setup.yes()


def test_the_only_approver_in_the_settings_learns_where_to_name_another(setup: ApprovalSetup) -> None:
    """The settings of a person or of managed machines name them."""
    setup.rules = msgspec.structs.replace(setup.rules, scopes=({ANN: None},))
    setup.ask(bash("git push", actor=ANN))

    with pytest.raises(ApprovalError, match=re.escape("add another person to `settings.approval.approvers`")):
        setup.yes()


@pytest.mark.req("Z10")
def test_a_call_that_was_changed_in_the_store_takes_no_yes(setup: ApprovalSetup) -> None:
    """What is shown and what is hashed are compared before anything counts."""
    setup.ask()
    other = msgspec.json.encode(
        {"cwd": "/w", "event": "PreToolUse", "input": {"command": "ls"}, "tool": "Bash"}
    )
    setup.connection.execute("UPDATE approvals SET call = ?", (other,))

    with pytest.raises(ApprovalError, match="ap_1 was changed after it was opened"):
        setup.yes()
    assert setup.states() == ["pending"]


@pytest.mark.req("Z04", "L06")
def test_another_secret_is_another_call(setup: ApprovalSetup) -> None:
    """A secret stands as a keyed fingerprint: the same one is the same call, another is not."""
    hiding = ApprovalSetup(setup.connection, Redactor(b"k" * 32).body)
    hiding.ask(bash(f"curl -H 'Authorization: Bearer {ONE}' https://example.com"))
    hiding.yes()
    stored = hiding.connection.execute("SELECT call FROM approvals").fetchone()[0]

    assert ONE.encode() not in stored
    assert b"https://example.com" in stored
    assert not passes(hiding.ask(bash(f"curl -H 'Authorization: Bearer {TWO}' https://example.com")))
    assert passes(hiding.ask(bash(f"curl -H 'Authorization: Bearer {ONE}' https://example.com")))


@pytest.mark.req("Z04", "Z11")
@pytest.mark.parametrize("seed", range(20))
def test_no_order_of_answers_lets_a_call_pass_twice(setup: ApprovalSetup, seed: int) -> None:
    """Whatever happens in whatever order: a call passes only by a yes of its own that no no came after."""
    chance = random.Random(seed)
    good = 0  # a yes that is neither used, revoked nor over
    until = 0.0
    for _ in range(60):
        deed = chance.choice(["ask", "ask", "yes", "no", "wait"])
        newest = len(setup.states())
        if setup.now >= until:
            good = 0
        if deed == "wait":
            setup.now += chance.choice([10, EXPIRES_SECONDS])
        elif deed == "ask":
            assert passes(setup.ask()) == bool(good)
            good = 0
        elif newest and deed == "yes":
            before = setup.states()[-1]
            try:
                setup.yes(f"ap_{newest}")
            except ApprovalError:
                continue
            assert before == "pending"
            good, until = newest, setup.now + EXPIRES_SECONDS
        elif newest and deed == "no":
            try:
                setup.no(f"ap_{newest}")
            except ApprovalError:
                continue
            good = 0


def test_the_law_above_can_fail(setup: ApprovalSetup) -> None:
    """The control: a yes that is there does let its call pass."""
    setup.ask()
    setup.yes()

    assert passes(setup.ask(PUSH))


@pytest.mark.req("L06")
def test_what_is_said_beside_a_call_is_kept_without_secrets(setup: ApprovalSetup) -> None:
    """Notes and reasons stand in the same table and are shown to the same people."""
    hiding = ApprovalSetup(setup.connection, Redactor(b"k" * 32).body)
    hiding.ask(bash("git push"), Decision(vote=Vote.ASK, reason="password=hunter22?", revision="r1"))
    hiding.answers.approve("ap_1", ANN, note="used token=abcdefgh12345678")
    found = hiding.answers.get("ap_1")

    assert "hunter22" not in str(found)
    assert "abcdefgh12345678" not in str(found)
