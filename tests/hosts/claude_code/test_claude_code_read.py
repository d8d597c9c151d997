"""Payloads of Claude Code become events."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.hosts.claude_code.recorded import AT_THE_TERMINAL, HOST, RECORDED, read, recorded

from interlock.errors import PayloadError
from interlock.events.event import Event
from interlock.events.tool import ToolCall
from interlock.hosts.claude_code.capabilities import CAPABILITIES

SESSION = "00000000-0000-4000-8000-000000000001"
COMMON: dict[str, Any] = {
    "session_id": SESSION,
    "transcript_path": f"/home/user/.claude/projects/-project/{SESSION}.jsonl",
    "permission_mode": "bypassPermissions",
    "host": "claude-code",
}
PROMPT_ID = {"prompt_id": "00000000-0000-4000-8000-000000000002"}


def payload(**fields: Any) -> bytes:
    """A payload of these fields."""
    return json.dumps(fields).encode()


def test_a_shell_call_is_read_whole() -> None:
    """Common fields, the tool and the environment have their places; the rest is kept beside them."""
    assert HOST.read(recorded("PreToolUse-Bash.json"), AT_THE_TERMINAL) == Event(
        name="PreToolUse",
        cwd="/project",
        tool=ToolCall(
            name="Bash",
            input={"command": "rm -rf build", "description": "scripted"},
            use_id="toolu_rig000001",
        ),
        project="/project",
        extra={**PROMPT_ID, "entrypoint": "cli"},
        **COMMON,
    )


def test_a_result_is_read_with_its_call() -> None:
    """The structured response is the tool's output."""
    event = HOST.read(recorded("PostToolUse-mcp__rig__echo.json"), {})

    assert event.tool == ToolCall(name="mcp__rig__echo", input={"message": "hello"}, use_id="toolu_rig000018")
    assert event.tool_output == [{"type": "text", "text": "echo: hello"}]
    assert event.extra == {**PROMPT_ID, "duration_ms": 3}


def test_a_sub_agents_call_says_whose_it_is() -> None:
    """The id and the kind of the sub-agent are fields of the event."""
    event = HOST.read(recorded("PreToolUse-subagent-Bash.json"), {})

    assert (event.agent_id, event.agent_type) == ("a0000000000000001", "general-purpose")


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("UserPromptSubmit.json", "prompt", "Please run the scripted task."),
        ("UserPromptExpansion-slash_command-greet.json", "prompt", "/greet world"),
        ("PostToolUseFailure-Bash-failing.json", "error", "Exit code 3\noops"),
        ("StopFailure.json", "error", "unknown"),
        ("PermissionRequest-Bash.json", "permission_mode", "default"),
    ],
)
def test_what_the_vocabulary_names_is_a_field(name: str, field: str, value: str) -> None:
    """Prompt, error and mode are not extras."""
    event = HOST.read(recorded(name), {})

    assert getattr(event, field) == value
    assert field not in event.extra


@pytest.mark.parametrize("name", RECORDED)
def test_no_recorded_field_is_lost(name: str) -> None:
    """Every value of a recorded payload is somewhere in its event."""
    fields = json.loads(recorded(name))
    event = HOST.read(recorded(name), {})

    tool = event.tool
    named = {
        "hook_event_name": event.name,
        "session_id": event.session_id,
        "cwd": event.cwd,
        "tool_name": tool and tool.name,
        "tool_input": tool and tool.input,
        "tool_use_id": tool and tool.use_id,
        "tool_response": event.tool_output,
        "error": event.error,
        "prompt": event.prompt,
        "agent_id": event.agent_id,
        "agent_type": event.agent_type,
        "transcript_path": event.transcript_path,
        "permission_mode": event.permission_mode,
    }
    assert {key: value for key, value in named.items() if value is not None} | event.extra == fields


def test_the_recordings_are_all_there() -> None:
    """53 payloads, each of an event the table of moments knows."""
    names = {json.loads(recorded(name))["hook_event_name"] for name in RECORDED}

    assert len(RECORDED) == 53
    assert names <= set(CAPABILITIES)


@pytest.mark.parametrize("name", CAPABILITIES)
def test_every_event_is_read_by_its_common_fields(name: str) -> None:
    """All 31 events are read, also those never recorded."""
    needed: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt": "hi"}

    event = HOST.read(payload(hook_event_name=name, session_id="s", cwd="/p", **needed), {})

    assert (event.name, event.session_id, event.cwd) == (name, "s", "/p")


@pytest.mark.req("X39")
def test_the_older_name_of_the_event_field_is_taken() -> None:
    """`hook_event` names the event where `hook_event_name` is absent, and only there."""
    assert HOST.read(payload(hook_event="PreCompact", trigger="auto"), {}).name == "PreCompact"

    both = HOST.read(payload(hook_event="Stop", hook_event_name="PreCompact"), {})
    assert (both.name, both.extra) == ("PreCompact", {"hook_event": "Stop"})


def test_an_unknown_event_is_observed() -> None:
    """An event of a later version keeps its name and all its fields."""
    event = HOST.read(payload(hook_event_name="BrandNew", session_id="s", error={"code": 7}, shape=[1]), {})

    assert (event.name, event.session_id) == ("BrandNew", "s")
    assert event.extra == {"error": {"code": 7}, "shape": [1]}


def test_null_is_absence() -> None:
    """A field without a value is a field that was not sent."""
    event = HOST.read(payload(hook_event_name="Stop", agent_id=None, cwd=None), {})

    assert (event.agent_id, event.cwd, event.extra) == (None, "", {})


@pytest.mark.req("D09")
@pytest.mark.parametrize(
    ("fields", "event_name"),
    [
        ({"tool_name": "Bash"}, ""),
        ({"hook_event_name": 7}, ""),
        ({"hook_event_name": ""}, ""),
        ({"hook_event_name": None, "hook_event": "PreToolUse"}, ""),
        ({"hook_event_name": "PreToolUse"}, "PreToolUse"),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash"}, "PreToolUse"),
        ({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": "ls"}, "PreToolUse"),
        ({"hook_event_name": "PreToolUse", "tool_name": "", "tool_input": {}}, "PreToolUse"),
        (
            {"hook_event_name": "PermissionRequest", "tool_name": ["Bash"], "tool_input": {}},
            "PermissionRequest",
        ),
        ({"hook_event_name": "UserPromptSubmit"}, "UserPromptSubmit"),
        ({"hook_event_name": "UserPromptSubmit", "prompt": ["x"]}, "UserPromptSubmit"),
        ({"hook_event_name": "Stop", "session_id": 7}, "Stop"),
        ({"hook_event_name": "SubagentStop", "agent_id": 7}, "SubagentStop"),
    ],
)
def test_what_cannot_be_judged_is_no_event(fields: dict[str, Any], event_name: str) -> None:
    """A field that a judged moment needs is never guessed, and the error says which event it was."""
    with pytest.raises(PayloadError) as raised:
        HOST.read(payload(**fields), {})

    assert (raised.value.kind, raised.value.event_name) == ("field", event_name)


def test_what_has_happened_is_read_as_far_as_it_goes() -> None:
    """After an action a strange field is kept, not refused."""
    event = HOST.read(payload(hook_event_name="PostToolUse", tool_name="Bash", tool_input="ls"), {})

    assert event.tool is None
    assert event.extra == {"tool_name": "Bash", "tool_input": "ls"}


@pytest.mark.req("D09")
def test_repaired_text_is_marked() -> None:
    """A half character in a command becomes U+FFFD and the event says so."""
    broken = recorded("PreToolUse-Bash.json").replace(b"rm -rf build", b"echo \\ud800")

    event = HOST.read(broken, {})

    assert event.tool is not None
    assert event.tool.input["command"] == "echo \ufffd"
    assert event.extra["repaired"] is True


@pytest.mark.req("Z08")
def test_a_payload_cannot_claim_its_surroundings() -> None:
    """What only the environment may say is not taken from a payload."""
    claims = {
        "entrypoint": "cli",
        "claimed_actor": "human:me",
        "repaired": True,
        "tmux": "/s,1,0",
        "tmux_pane": "%1",
    }
    event = read("Stop.json", {}, project="/x", **claims)

    assert set(event.extra) & set(claims) == set()
    assert event.project is None


def test_a_claimed_actor_is_kept_for_the_record() -> None:
    """The environment's claim is recorded beside the event and changes nobody."""
    event = read("Stop.json", {"INTERLOCK_ACTOR": "agent:boss", "AGENT_ID": "7", "HOME": "/h"})

    assert event.actor == "agent:main"
    assert event.extra["claimed_actor"] == "agent:boss"
    assert event.extra["env_agent_id"] == "7"
    assert "HOME" not in event.extra


def test_the_pane_an_agent_is_in_is_known() -> None:
    """As tmux tells it in the environment."""
    event = read("Stop.json", {"TMUX": "/tmp/tmux-0/default,7,0", "TMUX_PANE": "%3"})

    assert (event.extra["tmux"], event.extra["tmux_pane"]) == ("/tmp/tmux-0/default,7,0", "%3")


@pytest.mark.req("D09")
@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse"])
def test_a_folder_that_can_be_no_path_is_no_event(name: str) -> None:
    """A NUL in the folder is named as what is wrong, with what to do about it."""
    with pytest.raises(
        PayloadError, match="`cwd` of the payload is not a path, because it contains a NUL character; send"
    ) as raised:
        HOST.read(payload(hook_event_name=name, tool_name="Bash", tool_input={}, cwd="/a\0b"), {})
    assert raised.value.event_name == name
