"""After a call that was refused for its fields the agent is shown one that fits."""

from __future__ import annotations

from typing import Any

import pytest
from tests.builtin_hooks.making import made

from interlock.engine.engine import Engine
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import ToolCall

SHAPE = {"required": ["path"], "example": {"path": "/a"}}


@pytest.fixture
def engine() -> Engine:
    return made("schema_hint", "post_tool_use", {"tools": {"read_file": SHAPE}})


def after(engine: Engine, output: object = None, error: str | None = None, **more: Any) -> Decision:
    tool = ToolCall(name=more.get("tool", "read_file"), input=more.get("given", {}), use_id=more.get("use"))
    name = "PostToolUseFailure" if error else "PostToolUse"
    return engine.decide_sync(
        Event(
            name=name,
            session_id=more.get("session", "s"),
            cwd="/",
            tool=tool,
            tool_output=output,
            error=error,
        )
    )


@pytest.mark.req("U7", "U20")
@pytest.mark.parametrize(
    "text",
    [
        "1 validation error for ReadFile",
        "path: Field required",
        "InputValidationError: read_file failed",
        "The required parameter `path` is missing",
        "missing required argument",
    ],
)
def test_an_error_about_fields_brings_a_call_that_fits(engine: Engine, text: str) -> None:
    """As context for the model, in whichever form the error comes."""
    hint = 'Invalid read_file call. Missing required fields: path. Example: {"path":"/a"}'

    assert after(engine, error=text).context == (hint,)
    assert after(engine, {"is_error": True, "content": [{"type": "text", "text": text}]}).context == (hint,)
    assert after(engine, {"error": text}).context == (hint,)
    assert after(engine, f"Error: {text}").context == (hint,)


@pytest.mark.req("U20")
@pytest.mark.parametrize(
    "output",
    ["A page about the words validation error.", {"content": "field required"}, None, 3, [], {"error": ""}],
)
def test_a_result_that_is_no_error_brings_nothing(engine: Engine, output: object) -> None:
    """A document may hold such words."""
    assert after(engine, output).context == ()


@pytest.mark.req("U20")
def test_other_errors_bring_nothing(engine: Engine) -> None:
    """A file that does not exist is no matter of fields."""
    assert after(engine, error="ENOENT: no such file or directory").context == ()


@pytest.mark.req("U20")
def test_a_tool_that_is_not_there_brings_the_nearest(engine: Engine) -> None:
    """With a hint of its own."""
    error = "Error: No such tool available: raed_file"

    assert after(engine, error=error, tool="raed_file").context == (
        "There is no tool `raed_file`; did you mean `read_file`?",
    )
    assert "call one of the tools you have" in after(engine, error=error, tool="qqqqqq").context[0]


def test_a_call_that_fits_by_our_lights_still_brings_the_example(engine: Engine) -> None:
    """The tool knows better what it refused."""
    decision = after(engine, error="validation error", given={"path": "/b"})

    assert decision.context == ('read_file rejected the fields of the call. Example: {"path":"/a"}',)


def test_an_unknown_tool_is_learned_from_calls_that_went_well(engine: Engine) -> None:
    """Their fields, none of their values."""
    for number in range(5):
        after(engine, "fine", tool="mcp__x__find", given={"query": f"private {number}"})
    hint = after(engine, error="validation error", tool="mcp__x__find", given={"q": "x"}).context[0]

    assert 'Missing required fields: query. Example: {"query":"<query>"}' in hint


def test_an_unknown_tool_brings_what_can_be_said(engine: Engine) -> None:
    """Its own error names the fields."""
    hint = after(engine, error="validation error", tool="mcp__x__find").context[0]

    assert hint.startswith("mcp__x__find rejected the fields of the call")


def test_one_call_is_spoken_of_once(engine: Engine) -> None:
    """A host tells of it at its failure and again in the batch of the answer."""
    calls = [
        {"tool_name": "read_file", "tool_input": {}, "tool_use_id": "t1", "tool_response": "x"},
        {
            "tool_name": "read_file",
            "tool_input": {},
            "tool_use_id": "t2",
            "tool_response": "Error: field required",
        },
        "odd",
        {"tool_name": 3},
    ]
    batch = Event(name="PostToolBatch", session_id="s", cwd="/", extra={"tool_calls": calls})
    after(engine, error="field required", use="t1")

    assert len(engine.decide_sync(batch).context) == 1
    assert engine.decide_sync(batch).context == ()
    odd = Event(name="PostToolBatch", session_id="s", cwd="/", extra={"tool_calls": None})
    assert engine.decide_sync(odd).context == ()


ZOD = 'Invalid arguments for tool f: [{"code": "invalid_type", "path": ["path"], "message": "Required"}]'
PYTHON = "TypeError: f() missing 1 required argument: 'a'"


@pytest.mark.req("U7", "U20")
@pytest.mark.parametrize(
    "error",
    [
        "TypeError: read_file() missing 1 required positional argument: 'path'",
        "read_file() got an unexpected keyword argument 'pth'",
        f"MCP error -32602: {ZOD}",
        "Invalid input: expected string, received undefined",
        "1 validation error for ReadFile\npath\n  Field required [type=missing]",
        "Input should be a valid string [type=string_type, input_value=3]",
        "3 is not of type 'string'",
        "Additional properties are not allowed ('pth' was unexpected)",
        "data must have required property 'path'",
        "read_file() takes 1 positional argument but 2 were given",
        "String should have at least 1 character [type=string_too_short]",
        "'' is too short",
        "'x' does not match '^/'",
        '[{"code": "too_small", "message": "Too small: expected string to have >=1 characters"}]',
        "Invalid enum value. Expected 'a' | 'b', received 'c'",
        "data/path must be string",
    ],
)
def test_the_words_of_common_validators_are_known(engine: Engine, error: str) -> None:
    """Python, MCP servers with Zod, pydantic, jsonschema and Ajv."""
    assert "Example:" in after(engine, error=error).context[0]


@pytest.mark.req("U7")
@pytest.mark.parametrize(
    "output",
    [
        f"MCP error -32602: {ZOD}",
        PYTHON,
        "read_file() missing 1 required positional argument: 'path'",
        "Input validation error: 'path' is a required property",
        "'path' is a required property\n\nFailed validating 'required' in schema",
        "1 validation error for ReadFile\npath\n  Field required [type=missing]",
    ],
)
def test_an_error_that_stands_in_the_output_counts(engine: Engine, output: str) -> None:
    """Some hosts report a refused call as one that went well."""
    assert "Example:" in after(engine, output).context[0]


def test_what_was_told_is_remembered_for_each_session(engine: Engine) -> None:
    """Agents number their calls anew: the same id in another session is another call."""
    told = [after(engine, error="field required", use="call_1", session=name).context for name in "aab"]

    assert [bool(one) for one in told] == [True, False, True]


@pytest.mark.req("U20")
@pytest.mark.parametrize("tool", ["Bash", "execute_bash_command", "mcp__shell__run"])
def test_what_a_program_printed_is_not_what_its_tool_says(engine: Engine, tool: str) -> None:
    """Failing tests are full of such words; a call that was refused before anything ran is told of."""
    printed = (
        "Exit code 1\nE  TypeError: f() missing 1 required positional argument: 'x'",
        "error: field required",
    )
    given = {"command": "pytest"}

    assert [after(engine, error=text, tool=tool, given=given).context for text in printed] == [(), ()]
    for refused in (
        f"1 validation error for {tool}\ntimeout",
        "InputValidationError: timeout is not of type 'number'",
    ):
        assert after(engine, error=refused, tool=tool, given=given).context
    assert after(engine, error="Error: field required", tool=tool, given={"comand": "pytest"}).context
