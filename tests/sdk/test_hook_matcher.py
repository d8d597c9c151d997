"""Tables of hooks, wired as agents of the universal kind wire theirs."""

from __future__ import annotations

from typing import Any

import pytest

from interlock import Decision, Engine, Event, HookMatcher, ToolCall, Vote, hook
from interlock.errors import PatternError, UnknownEventError
from interlock.sdk.decorator import TableFunction, hooks_from_table

Calls = list[tuple[str, str]]


def recording(calls: Calls, *names: str) -> list[TableFunction]:
    """Functions without an opinion, which note that they were asked."""

    def made(name: str) -> TableFunction:
        def function(input_data: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
            calls.append((name, input_data["hook_event_name"]))
            return {}

        function.__name__ = name
        return function

    return [made(name) for name in names]


def sample(calls: Calls) -> dict[str, list[HookMatcher]]:
    return {
        "PreToolUse": [
            HookMatcher(matcher="*", hooks=recording(calls, "pre_tool_use_schema_guardrail")),
            HookMatcher(matcher="execute_bash_command", hooks=recording(calls, "check_bash_side_effects")),
        ],
        "PostToolUse": [
            HookMatcher(matcher="*", hooks=recording(calls, "post_tool_use_schema_nudge", "record_tool_use")),
        ],
        "UserPromptSubmit": [HookMatcher(matcher="*", hooks=recording(calls, "skill_discovery_hook"))],
        "SubagentStop": [HookMatcher(matcher=None, hooks=recording(calls, "on_subagent_stop"))],
        "AgentStop": [HookMatcher(matcher=None, hooks=recording(calls, "on_agent_stop"))],
    }


def tool(name: str, **tool_input: Any) -> ToolCall:
    return ToolCall(name=name, input=tool_input, use_id="toolu_7")


@pytest.mark.req("U2", "U3", "U4")
@pytest.mark.parametrize(
    ("event", "asked"),
    [
        (Event(name="PreToolUse", tool=tool("Read")), ["pre_tool_use_schema_guardrail"]),
        (
            Event(name="PreToolUse", tool=tool("execute_bash_command", command="touch x")),
            ["pre_tool_use_schema_guardrail", "check_bash_side_effects"],
        ),
        (Event(name="PostToolUse", tool=tool("Read")), ["post_tool_use_schema_nudge", "record_tool_use"]),
        (Event(name="UserPromptSubmit", prompt="hi"), ["skill_discovery_hook"]),
        (Event(name="SubagentStop", agent_id="a"), ["on_subagent_stop"]),
        (Event(name="AgentStop"), ["on_agent_stop"]),
        (Event(name="Stop"), ["on_agent_stop"]),
        (Event(name="SessionStart"), []),
    ],
)
async def test_the_sample_wiring_asks_whom_it_names(event: Event, asked: list[str]) -> None:
    """`*` means every tool, a name one tool, None an event without a tool; list order is running order."""
    calls: Calls = []
    decision = await Engine(hooks=sample(calls)).decide(event)

    assert [name for name, _ in calls] == asked
    assert decision.vote is Vote.ABSTAIN


@pytest.mark.req("U39")
async def test_a_function_gets_the_document_the_call_and_a_context() -> None:
    """Three arguments; sync and async alike."""
    seen = []

    async def look(input_data: dict[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        seen.append((input_data["tool_name"], input_data["tool_input"], tool_use_id, context))
        return {}

    table = {"PreToolUse": [HookMatcher(matcher="Read", hooks=[look])]}
    await Engine(hooks=table).decide(Event(name="PreToolUse", tool=tool("Read", file_path="a")))

    assert seen == [("Read", {"file_path": "a"}, "toolu_7", None)]


async def answered(answer: Any, event: Event) -> Decision:
    def function(input_data: dict[str, Any], tool_use_id: str | None, context: Any) -> Any:
        return answer

    return await Engine(hooks={event.name: [HookMatcher(hooks=[function])]}).decide(event)


@pytest.mark.req("U1", "U39")
async def test_a_table_can_inspect_block_and_modify_before_and_after() -> None:
    """`{}` is not an opinion; the rest is said in the words of the SDK."""
    before = Event(name="PreToolUse", tool=tool("Bash", command="ls"))
    specific = {"hookEventName": "PreToolUse"}
    after = Event(name="PostToolUse", tool=tool("Bash", command="ls"), tool_output="secret")
    changed = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "***"}}

    assert (await answered({}, before)).vote is Vote.ABSTAIN
    blocked = await answered({"hookSpecificOutput": {**specific, "permissionDecision": "deny"}}, before)
    assert blocked.denied
    modified = await answered(
        {"hookSpecificOutput": {**specific, "updatedInput": {"command": "pwd"}}}, before
    )
    assert modified.updated_input == {"command": "pwd"}
    assert (await answered(changed, after)).updated_output == "***"


@pytest.mark.req("U2")
async def test_an_agent_that_may_not_stop_yet_is_told_why() -> None:
    """The harness loop of `AgentStop` sends the agent back to work."""
    stopped = await answered({"decision": "block", "reason": "the promise is not kept"}, Event(name="Stop"))

    assert (stopped.denied, stopped.reason) == (True, "the promise is not kept")


async def test_a_guard_that_crashes_stops_the_call() -> None:
    """Nothing fails open by accident."""

    def broken(input_data: dict[str, Any], tool_use_id: str | None, context: Any) -> Any:
        raise KeyError("command")

    table = {"PreToolUse": [HookMatcher(matcher="*", hooks=[broken])]}

    assert (await Engine(hooks=table).decide(Event(name="PreToolUse", tool=tool("Bash")))).denied


def test_a_table_keeps_names_limits_and_order() -> None:
    """One hook per function, named after it, with its matcher's time."""
    calls: Calls = []
    first, second = recording(calls, "first", "second")
    table = {"PreToolUse": [HookMatcher("Bash", [first], timeout=3), HookMatcher(hooks=[second])]}

    made = hooks_from_table(table)

    assert [(one.name, one.matcher.text, one.timeout) for one in made] == [
        ("first", "Bash", 3.0),
        ("second", "*", 10.0),
    ]


def test_mistakes_in_a_table_are_errors() -> None:
    """A misspelt event, matcher or limit never leaves a hook waiting for nothing."""
    with pytest.raises(UnknownEventError, match="did you mean `Stop`"):
        hooks_from_table({"AgentStopp": []})
    with pytest.raises(PatternError):
        hooks_from_table({"PreToolUse": [HookMatcher(matcher="Write,Edit", hooks=[])]})
    with pytest.raises(ValueError, match="at most 600"):
        hooks_from_table({"PreToolUse": [HookMatcher(timeout=5000)]})


def test_what_is_no_function_or_no_matcher_is_refused_where_it_is_written() -> None:
    """Each with the sentence that says what to write instead."""
    named: Any = hook("PreToolUse", name="named")(lambda _: None)
    wrong: list[tuple[Any, str]] = [
        (
            lambda: HookMatcher("Bash", [named]),
            r"is a Hook and names its own event; .*Engine\(\[named\]\)",
        ),
        (lambda: HookMatcher("Bash", ["x"]), "`'x'` in a HookMatcher is not a function"),  # type: ignore[list-item]  # the mistake that is meant
        (lambda: HookMatcher("Bash", print), "is a list of functions"),  # type: ignore[arg-type]  # the mistake that is meant
        (lambda: hooks_from_table({"PreToolUse": [print]}), "is not a HookMatcher"),  # type: ignore[list-item]  # the mistake that is meant
        (lambda: hooks_from_table({"PreToolUse": HookMatcher()}), "give a list of HookMatcher"),  # type: ignore[dict-item]  # the mistake that is meant
    ]
    for make, message in wrong:
        with pytest.raises(TypeError, match=message):
            make()
    with pytest.raises(ValueError, match="out of range"):
        HookMatcher(timeout=0)


@pytest.mark.parametrize("event", ["pre_tool_use", "preToolUse", "PreToolUse"])
def test_events_of_a_table_are_read_in_every_accepted_spelling(event: str) -> None:
    """As everywhere else."""
    (made,) = hooks_from_table({event: [HookMatcher(hooks=[lambda *_: {}])]})

    assert made.events == ("PreToolUse",)
