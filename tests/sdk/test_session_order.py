"""A whole session of a Python agent, as its hooks see it."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Engine, Event, ToolRunner, Verdict, Vote, deny, hook
from interlock.events.names import parse_event_name
from interlock.events.tool import JsonObject
from interlock.sdk.registry_records import HookEventType

NAMES = [str(name) for name in HookEventType]


def recorder(log: list[str]) -> Any:
    @hook(*NAMES)
    def note(event: Event) -> None:
        log.append(event.name)

    return note


@pytest.mark.req("C6", "C7", "C8", "C9", "C10", "C11", "C12", "C13", "C14", "C16")
async def test_a_session_is_told_in_the_order_it_happens() -> None:
    """Start, prompt, message, each tool call between its two events, sub-agent, compaction, end."""
    log: list[str] = []

    def tool(tool_input: JsonObject) -> str:
        log.append("call")
        if "error" in tool_input:
            raise OSError(tool_input["error"])
        return "ok"

    async with Engine(hooks=[recorder(log)]) as engine:
        runner = ToolRunner(engine, session_id="s")

        async def tell(name: str, **fields: Any) -> None:
            await engine.decide(Event(name=name, session_id="s", **fields))

        await tell("SessionStart")
        await tell("PrePromptSubmit", prompt="hi")
        await tell("PostUserMessage", prompt="hi")
        await runner.run("Read", {"file_path": "a"}, tool)
        await runner.run("Read", {"error": "gone"}, tool)
        await tell("SubagentStart", agent_id="a")
        await tell("SubagentStop", agent_id="a")
        await tell("PreCompact")
        await tell("NotificationEvent")
        await tell("StatusLine")
        await tell("FileSuggestion")
        await tell("SessionEnd")

    assert log == [
        "SessionStart",
        "UserPromptSubmit",
        "PostUserMessage",
        *("PreToolUse", "call", "PostToolUse"),
        *("PreToolUse", "call", "PostToolUseFailure"),
        *("SubagentStart", "SubagentStop"),
        "PreCompact",
        *("Notification", "StatusLine", "FileSuggestion"),
        "SessionEnd",
    ]


@pytest.mark.req("C1", "C3", "C4", "C6", "C7", "C8", "C9", "C12", "C13", "C14")
@pytest.mark.parametrize("name", NAMES)
async def test_votes_count_only_where_something_can_still_be_stopped(name: str) -> None:
    """Everywhere else a hook observes, whatever it votes."""
    decision = await Engine(hooks=[hook(name)(lambda _: deny("no"))]).decide(Event(name=name))

    judged = {"PreToolUse", "PrePromptSubmit", "SubagentStop", "PreCompact"}
    assert decision.denied is (name in judged)
    assert len(decision.trace) == 1


@pytest.mark.req("C5")
async def test_a_prompt_can_be_changed_before_it_is_processed() -> None:
    """Later hooks see the new prompt, and so does the agent."""
    seen = []

    @hook("PrePromptSubmit")
    def shorten(event: Event) -> Any:
        return {"ModifyInput": {"new_input": "short"}}

    @hook("UserPromptSubmit")
    def look(event: Event) -> Verdict:
        seen.append(event.prompt)
        return Verdict()

    decision = await Engine(hooks=[shorten, look]).decide(Event(name="PrePromptSubmit", prompt="long"))

    assert (decision.updated_prompt, decision.vote) == ("short", Vote.ABSTAIN)
    assert "short" in seen


def test_every_moment_of_the_document_is_known_to_the_engine() -> None:
    """None of its names needs a translation by hand."""
    assert [hook(name)(lambda _: None).events for name in NAMES] == [
        (parse_event_name(name),) for name in NAMES
    ]
