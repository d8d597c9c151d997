"""The document a hook receives."""

from __future__ import annotations

import json

import pytest
from tests.handlers.view import bash_event

from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.handlers.environment import context_document, encode_context, hook_variables


@pytest.mark.req("C18", "C19")
def test_a_bare_event_has_only_the_fields_that_are_always_there() -> None:
    """Without a tool, prompt or agent none of their fields exists, not even as null."""
    document = context_document(Event(name="SessionStart", session_id="s1", cwd="/w"), {"A": "b"})

    assert document == {
        "event": "SessionStart",
        "hook_event_name": "SessionStart",
        "session_id": "s1",
        "cwd": "/w",
        "env": {"A": "b"},
        "actor": "agent:main",
    }


@pytest.mark.req("C18", "C19", "M8")
def test_every_known_field_is_told() -> None:
    """What the event holds is in the document, under the names of both families of hooks."""
    event = Event(
        name="PostToolUse",
        actor="agent:executor",
        tool=ToolCall(name="Bash", input={"command": "ls"}, use_id="t1"),
        tool_output={"stdout": "x"},
        error="boom",
        prompt="hello",
        agent_id="a1",
        agent_type="Explore",
        transcript_path="/t",
        permission_mode="plan",
        commitment_id="c1",
    )

    document = context_document(event, {})

    assert document["tool_name"] == "Bash"
    assert document["tool_input"] == {"command": "ls"}
    assert document["tool_use_id"] == "t1"
    assert document["tool_output"] == document["tool_response"] == {"stdout": "x"}
    assert document["error"] == "boom"
    assert document["user_prompt"] == document["prompt"] == "hello"
    assert (document["agent_id"], document["agent_type"]) == ("a1", "Explore")
    assert (document["transcript_path"], document["permission_mode"]) == ("/t", "plan")
    assert (document["commitment_id"], document["actor"]) == ("c1", "agent:executor")


@pytest.mark.req("C20")
def test_a_changed_input_is_the_input_the_document_tells() -> None:
    """After a rewrite the document carries the final input."""
    event = bash_event("rm x", name="PostToolUse").with_input({"command": "ls"})

    assert context_document(event, {})["tool_input"] == {"command": "ls"}


@pytest.mark.req("C18")
def test_host_fields_are_added_but_never_override() -> None:
    """An unknown host field is passed on; one that bears a known name is not."""
    event = Event(name="Stop", extra={"stop_hook_active": True, "actor": "agent:root", "event": "Other"})

    document = context_document(event, {})

    assert document["stop_hook_active"] is True
    assert (document["actor"], document["event"]) == ("agent:main", "Stop")


@pytest.mark.req("C18")
def test_any_document_can_be_written_as_json() -> None:
    """Lone surrogates and objects of a Python agent do not stop a hook from being asked."""
    event = Event(name="PostToolUse", prompt="\ud800", tool_output={"at": ValueError("x")})

    document = json.loads(encode_context(context_document(event, {})))

    assert document["prompt"] == "\ud800"
    assert document["tool_output"] == {"at": "x"}


@pytest.mark.req("C30")
def test_the_tool_variable_exists_only_with_a_tool() -> None:
    """HOOK_TOOL_NAME is set for tool events and absent, not empty, elsewhere."""
    assert hook_variables(bash_event()) == {
        "HOOK_EVENT": "PreToolUse",
        "HOOK_SESSION_ID": "s1",
        "HOOK_TOOL_NAME": "Bash",
    }
    assert hook_variables(Event(name="Stop")) == {"HOOK_EVENT": "Stop", "HOOK_SESSION_ID": ""}


@pytest.mark.req("C30")
def test_variables_hold_nothing_an_environment_cannot_hold() -> None:
    """NUL is taken out and a lone surrogate is replaced."""
    variables = hook_variables(Event(name="Stop", session_id="a\0b\ud800"))

    assert variables["HOOK_SESSION_ID"] == "ab?"
