"""Each built-in hook at work between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home

pytestmark = pytest.mark.deep


def policy(home: Home, event: str, entry: str) -> None:
    """A policy with one entry."""
    home.write_policy(f'version: "2.0"\nhooks:\n  {event}:\n    - {entry}\n')


def sent(home: Home, name: str, **fields: Any) -> bytes:
    """What the host hears when it reports an event."""
    event = {"session_id": "s1", "hook_event_name": name, "transcript_path": "/t", **fields}
    done = home.shim(json.dumps(event).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def bash(home: Home, command: str, cwd: Path, **more: Any) -> dict[str, Any]:
    """The reply to a shell call."""
    call = {"tool_name": "Bash", "tool_input": {"command": command, **more}, "tool_use_id": f"t-{command}"}
    said = sent(home, "PreToolUse", cwd=str(cwd), permission_mode="default", **call)
    reply: dict[str, Any] = json.loads(said or b"{}")
    own: dict[str, Any] = reply.get("hookSpecificOutput", {})
    return own


@pytest.mark.req("P2", "P20", "P21", "P22")
def test_redirect(place: Home, tmp_path: Path) -> None:
    """The input changes, its other fields stay, and no permission is given."""
    policy(place, "pre_tool_use", "{type: redirect}")
    place.start()
    (tmp_path / "Makefile").write_text("test:\n\tpytest $(ARGS)\n")
    reply = bash(place, "pytest -k x", tmp_path, description="run it")

    assert reply["updatedInput"] == {"command": "make test 'ARGS=-k x'", "description": "run it"}
    assert "permissionDecision" not in reply
    other = {"tool_name": "Bash", "tool_input": {"command": "ls -la"}, "tool_use_id": "t9"}
    assert sent(place, "PreToolUse", cwd=str(tmp_path), permission_mode="default", **other) == b""


@pytest.mark.req("M9")
def test_a_program_answers_modify(place: Home, tmp_path: Path) -> None:
    """The document's own word: the host gets the new input and no permission."""
    said = {"decision": "modify", "reason": "long form", "modified_input": {"command": "ls -l"}}
    command = f"cat >/dev/null; echo '{json.dumps(said)}'"
    entry = {"type": "command", "matcher": "Bash(ls)", "config": {"command": command}}
    policy(place, "pre_tool_use", json.dumps(entry))
    place.start()

    assert bash(place, "ls", tmp_path) == {
        "hookEventName": "PreToolUse",
        "updatedInput": {"command": "ls -l"},
    }
    (row,) = place.entries("decision")[-1].body["trace"]
    assert (row["outcome"], row["reason"]) == ("success", "long form")


@pytest.mark.req("P23", "X38")
def test_nudge(place: Home) -> None:
    """The model gets context, the person a message."""
    policy(place, "user_prompt_submit", "{type: nudge}")
    place.start()
    reply = json.loads(sent(place, "UserPromptSubmit", cwd="/", prompt="improve the error handling"))

    assert reply["hookSpecificOutput"]["additionalContext"] == "Invoke @improve."
    assert reply["systemMessage"] == "nudge: @improve, for the word `improve`"
    assert sent(place, "UserPromptSubmit", cwd="/", prompt="add a field") == b""


@pytest.mark.req("P28", "P29")
def test_local_context(place: Home, tmp_path: Path) -> None:
    """Given once a session, also when the daemon is another one by then; and to every summary."""
    policy(
        place, "user_prompt_submit", "{type: local_context, config: {files: [LOCAL.md], rules: Be brief.}}"
    )
    (tmp_path / "LOCAL.md").write_text("port 5433")
    daemon = place.start()
    first = json.loads(sent(place, "UserPromptSubmit", cwd=str(tmp_path), prompt="hello"))
    daemon.terminate()
    daemon.wait()
    place.start()

    assert first["hookSpecificOutput"]["additionalContext"] == "LOCAL.md:\nport 5433"
    assert sent(place, "UserPromptSubmit", cwd=str(tmp_path), prompt="and again") == b""
    summary = sent(place, "PreCompact", cwd=str(tmp_path), trigger="auto", custom_instructions=None)
    assert summary == b"Keep this through the summary:\n\nLOCAL.md:\nport 5433\n\nBe brief."


@pytest.mark.req("P1")
def test_the_pack_of_prompts(place: Home, tmp_path: Path) -> None:
    """The first prompt brings both: where to go, and what is known of this place."""
    place.write_policy('version: "2.0"\nsettings: {packs: [prompts]}\n')
    (tmp_path / "LOCAL.md").write_text("port 5433")
    place.start()
    first = json.loads(sent(place, "UserPromptSubmit", cwd=str(tmp_path), prompt="ship it"))
    again = json.loads(sent(place, "UserPromptSubmit", cwd=str(tmp_path), prompt="ship it"))

    assert first["hookSpecificOutput"]["additionalContext"] == "Invoke /ship.\n\nLOCAL.md:\nport 5433"
    assert again["hookSpecificOutput"]["additionalContext"] == "Invoke /ship."


@pytest.mark.req("P34", "P54")
def test_whatever_a_host_sends_breaks_no_session(place: Home, tmp_path: Path) -> None:
    """Null, objects and lists where a text belongs: nothing is said, and the next event is answered."""
    place.write_policy(
        'version: "2.0"\nsettings: {packs: [prompts]}\nhooks: {pre_tool_use: [{type: redirect}]}\n'
    )
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n")
    place.start()
    for odd in (None, {"a": 1}, ["pytest"], 3, ""):
        assert sent(place, "UserPromptSubmit", cwd=str(tmp_path), prompt=odd) == b""
        call = {"tool_name": "Bash", "tool_input": {"command": odd}, "tool_use_id": f"t{odd}"}
        sent(place, "PreToolUse", cwd=str(tmp_path), **call)
    assert bash(place, "pytest", tmp_path)["updatedInput"] == {"command": "make test"}
    rows = [row for entry in place.entries("decision") for row in entry.body["trace"]]
    assert {row["outcome"] for row in rows} <= {"success", "skipped"}
