"""Hooks that hold an agent to its task, at work between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home

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
    assert hint["additionalContext"].startswith("mcp__x__y refused the call for its fields")

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
    assert last == {"systemMessage": "promise: kept after 2 iterations"}
