"""A decision in the words people and agents read."""

from __future__ import annotations

import pytest
from tests.builders import hook

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.verdict import Vote, deny


@pytest.mark.req("M40")
def test_a_denied_agent_is_told_so_with_the_reason() -> None:
    """Feedback reads `Tool denied: <reason>`."""
    decision = Decision(vote=Vote.DENY, reason="Recursive force delete is never allowed")

    assert decision.denied
    assert decision.feedback == "Tool denied: Recursive force delete is never allowed"


@pytest.mark.req("M40")
@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("Stop", "Stop blocked: tests fail"),
        ("SubagentStop", "Stop blocked: tests fail"),
        ("UserPromptSubmit", "Prompt refused: tests fail"),
        ("PreToolUse", "Tool denied: tests fail"),
    ],
)
def test_feedback_names_the_moment(event: str, told: str) -> None:
    """Of a prompt or a stop nobody is told that a tool was denied."""
    judge = hook(deny("tests fail"), events=(event,))

    assert Engine([judge]).decide_sync(Event(name=event)).feedback == told


@pytest.mark.req("M3", "M35")
@pytest.mark.parametrize("vote", [Vote.ABSTAIN, Vote.ALLOW])
def test_what_nobody_objects_to_is_allowed_silently(vote: Vote) -> None:
    """Abstaining everywhere and allowing look the same from outside, and say nothing."""
    decision = Decision(vote=vote, reason="because")

    assert (decision.outcome, decision.denied, decision.feedback) == ("allow", False, None)


def test_an_ask_says_why_and_is_no_denial() -> None:
    """The reason of an ask is for the person."""
    decision = Decision(vote=Vote.ASK, reason="is this meant?")

    assert (decision.outcome, decision.denied, decision.feedback) == ("ask", False, "is this meant?")


def test_the_agent_is_told_which_rule_of_a_pack_denied() -> None:
    """By its name a person finds it and changes it; a rule of their own they know by its reason."""
    told = [
        Decision(vote=Vote.DENY, reason="No.", decided_by=name).feedback for name in ("baseline/x", "mine")
    ]

    assert told == ["Tool denied: No. (rule baseline/x)", "Tool denied: No."]
