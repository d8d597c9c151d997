"""Laws of what is inferred about a host's own prompt."""

from __future__ import annotations

from typing import Any

import pytest

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.approvals.service import HostPrompts

ASK = Decision(vote=Vote.ASK, decided_by="push", revision="r1")


def event(name: str, use_id: str | None = "t1", **fields: Any) -> Event:
    """An event of one session; with a tool where it has an id."""
    tool = ToolCall(name="Bash", input={}, use_id=use_id) if use_id else None
    return Event(name=name, session_id=fields.pop("session_id", "s"), tool=tool, **fields)


def found(prompts: HostPrompts, happened: Event) -> list[tuple[object, object]]:
    """What an event tells."""
    return [(body["tool_use_id"], body["state"]) for body in prompts.infer(happened)]


@pytest.mark.parametrize("name", ["PostToolUse", "PostToolUseFailure"])
def test_a_call_that_ran_was_approved(name: str) -> None:
    """Once; a second report tells nothing more."""
    prompts = HostPrompts()
    prompts.remember(event("PreToolUse"), ASK)

    assert found(prompts, event(name)) == [("t1", "approved")]
    assert found(prompts, event(name)) == []


@pytest.mark.parametrize(
    ("happened", "told"),
    [
        (event("Stop", None), True),
        (event("UserPromptSubmit", None), True),
        (event("SessionEnd", None), True),
        (event("Stop", None, session_id="other"), False),
        (event("SubagentStop", None, agent_id="a1"), False),
        (event("PreToolUse", "t2"), False),
        (event("PostToolUse", "t2"), False),
        (event("Notification", None), False),
    ],
    ids=lambda one: f"{one.name}-{one.session_id}" if isinstance(one, Event) else "",
)
def test_a_call_that_did_not_run_by_the_end_of_the_turn_was_not_run(happened: Event, told: bool) -> None:
    """Only what ends this session's turn says so."""
    prompts = HostPrompts()
    prompts.remember(event("PreToolUse"), ASK)

    assert found(prompts, happened) == ([("t1", "not run")] if told else [])


def test_a_sub_agents_question_ends_with_the_sub_agent() -> None:
    """The main agent's stop says nothing of it."""
    prompts = HostPrompts()
    prompts.remember(event("PreToolUse", agent_id="a1"), ASK)

    assert found(prompts, event("Stop", None)) == []
    assert found(prompts, event("SubagentStop", None, agent_id="a1")) == [("t1", "not run")]


def test_nothing_is_invented_of_what_was_not_asked_here() -> None:
    """After a restart, without an id, or at another moment, nothing is said; and memory is bounded."""
    prompts = HostPrompts()
    prompts.remember(event("PreToolUse", None), ASK)
    prompts.remember(event("PermissionRequest"), ASK)
    assert found(prompts, event("PostToolUse")) == []

    for number in range(5_000):
        prompts.remember(event("PreToolUse", f"u{number}"), ASK)
    assert found(prompts, event("PostToolUse", "u0")) == []
    assert len(found(prompts, event("SessionEnd", None))) == 4_096
