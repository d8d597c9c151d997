"""Hooks that hold an agent to its task, at work between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home

pytestmark = pytest.mark.deep

POLICY = """\
version: "2.0"
hooks:
  pre_tool_use:
    - type: schema_guard
      config:
        tools: {send_email: {required: [to, tags], schema: {properties: {tags: {type: array}}}}}
  post_tool_use:
    - {type: schema_hint}
  subagent_stop:
    - type: artifacts
      config: {expect: [{agents: [writer], files: [out/*.json]}]}
  stop:
    - type: promise
      config: {command: "loop:", max_iterations: 3}
"""


def sent(home: Home, name: str, cwd: object = "/", **fields: Any) -> dict[str, Any]:
    """What the host hears when it reports an event."""
    event = {"session_id": "s1", "hook_event_name": name, "transcript_path": "/t", "cwd": str(cwd), **fields}
    done = home.shim(json.dumps(event).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    reply: dict[str, Any] = json.loads(done.stdout or b"{}")
    return reply


def called(home: Home, tool: str, given: dict[str, Any], name: str = "PreToolUse", **more: Any) -> Any:
    use = f"{name}-{json.dumps(given)}"
    reply = sent(home, name, tool_name=tool, tool_input=given, tool_use_id=use, **more)
    return reply.get("hookSpecificOutput", {})


@pytest.mark.req("U6", "U7", "U10", "U11", "U13")
def test_a_session_under_schemas_artifacts_and_a_promise(place: Home, tmp_path: Path) -> None:
    """Each says its part, and what is remembered outlives the daemon."""
    place.write_policy(POLICY)
    daemon = place.start()
    tool = "mcp__mail__send_email"
    denied = called(place, tool, {"tags": ["a"]})
    repaired = called(place, tool, {"to": "x", "tags": '["a"]'})
    hint = called(place, "mcp__x__y", {}, "PostToolUseFailure", error="1 validation error for y")

    assert denied["permissionDecision"] == "deny"
    assert "Missing required fields: to." in denied["permissionDecisionReason"]
    assert repaired["updatedInput"] == {"to": "x", "tags": ["a"]}
    assert "permissionDecision" not in repaired
    assert hint["additionalContext"].startswith("mcp__x__y rejected the fields of the call")

    writer = {"agent_id": "a1", "agent_type": "writer"}
    sent(place, "SubagentStart", tmp_path, **writer)
    back = sent(place, "SubagentStop", tmp_path, stop_hook_active=False, **writer)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.json").write_text("{}")
    sent(place, "SubagentStop", tmp_path, stop_hook_active=True, **writer)
    told = sent(place, "UserPromptSubmit", tmp_path, prompt="loop: write it")

    assert (back["decision"], "no `out/*.json`" in back["reason"]) == ("block", True)
    context = told["hookSpecificOutput"]["additionalContext"]
    assert "Report found: `out/a.json` (writer)." in context
    assert "<promise>TASK_COMPLETE</promise>" in context

    first = sent(place, "Stop", tmp_path, stop_hook_active=False, last_assistant_message="half")
    daemon.terminate()
    daemon.wait()
    place.start()
    second = sent(place, "Stop", tmp_path, stop_hook_active=True, last_assistant_message="more")
    kept = "<promise>TASK_COMPLETE</promise>"
    last = sent(place, "Stop", tmp_path, stop_hook_active=True, last_assistant_message=kept)

    assert "(iteration 1 of 3). write it" in first["reason"]
    assert "(iteration 2 of 3). write it" in second["reason"]
    assert last == {"systemMessage": "promise: given after 2 iterations"}


LIMITS = """\
version: "2.0"
hooks:
  pre_tool_use:
    - {type: loop_guard, config: {warn: 2, deny: 3}}
    - {type: budget, config: {tool_calls: 4, tokens: 1000}}
"""


@pytest.mark.req("U35")
def test_a_session_that_goes_round_in_circles(place: Home, tmp_path: Path) -> None:
    """Told, then denied; what was counted outlives the daemon, and the transcript tells of a full context."""
    place.write_policy(LIMITS)
    transcript = tmp_path / "transcript.jsonl"
    answer = {"model": "m", "role": "assistant", "usage": {"input_tokens": 1200}}
    transcript.write_text(json.dumps({"type": "assistant", "message": answer}) + "\n")
    daemon = place.start()

    def call(number: int, command: str) -> dict[str, Any]:
        given = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"t{number}"}
        common = {**given, "transcript_path": str(transcript)}
        reply = sent(place, "PreToolUse", tmp_path, **common)
        sent(place, "PostToolUse", tmp_path, tool_response={"stdout": "same"}, **common)
        own: dict[str, Any] = reply.get("hookSpecificOutput", {})
        return own

    first, second = call(1, "cat a"), call(2, "cat a")
    daemon.terminate()
    daemon.wait()
    place.start()
    third = call(3, "cat a")
    over = [call(number, f"cat b{number}") for number in (4, 5, 6)][-1]

    assert "The context is nearly full: 1,200 of 1,000 tokens" in first["additionalContext"]
    assert "This is call 2 of Bash with the same input" in second["additionalContext"]
    assert "Bash was called 3 times with the same input" in third["permissionDecisionReason"]
    assert "The budget is used up: 4 of 4 tool calls" in over["permissionDecisionReason"]
