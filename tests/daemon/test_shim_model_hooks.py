"""Hooks that ask a model, skills, hints and nudges, between the real shim and a real daemon."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from clients.model_server import ModelServer
from clients.turns import say, use
from tests.daemon.home import Home, wait_for
from tests.daemon.test_shim_hooks import bash, sent

pytestmark = pytest.mark.deep

PROMPT = "{type: prompt, matcher: Bash, config: {prompt: 'May it run? $ARGUMENTS'}}"
AGENT = "{type: agent, matcher: Bash, config: {prompt: 'Look around first.'}}"


@pytest.mark.req("P6", "C75")
def test_prompt_and_agent(place: Home, tmp_path: Path) -> None:
    """A model denies, another looks around; the key is nowhere in what is kept."""
    (tmp_path / "Makefile").write_text("all:\n\trm -rf build\n")
    key = place.folder / "key"
    key.write_text("sk-of-a-test")
    key.chmod(0o600)
    turns = [use("read_file", path="Makefile"), say('{"ok": false, "reason": "the makefile removes things"}')]
    side = [say('{"ok": false, "reason": "not today"}'), say('{"ok": true}')]
    with ModelServer(turns, side=side) as server:
        settings = f"model: {{base_url: '{server.address}', model: scripted, key_file: {key}}}"
        hooks = f"hooks:\n  pre_tool_use:\n    - {PROMPT}\n    - {AGENT}\n"
        place.write_policy(f'version: "2.0"\nsettings:\n  {settings}\n{hooks}')
        place.start()
        first, second = bash(place, "ls", tmp_path), bash(place, "make", tmp_path)
        seen = server.seen()

    assert (first["permissionDecision"], second["permissionDecision"]) == ("deny", "deny")
    assert "not today" in first["permissionDecisionReason"]
    assert "the makefile removes things" in second["permissionDecisionReason"]
    assert "rm -rf build" in seen[-1].said()
    assert b"sk-of-a-test" not in place.places.log.read_bytes()
    assert "sk-of-a-test" not in json.dumps([entry.body for entry in place.entries()], default=str)


@pytest.mark.req("U12", "U30")
def test_skills(place: Home, tmp_path: Path) -> None:
    """The list beside the prompt, the knowledge once, also when the daemon is another one by then."""
    skill = tmp_path / ".claude" / "skills" / "pdf" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: pdf\ndescription: Extract tables\n---\nText.\n")
    (tmp_path / "db.md").write_text("Migrations are numbered.")
    known = "{words: [migration], file: db.md}"
    entry = f"{{type: skills, config: {{knowledge: [{known}]}}}}"
    place.write_policy(f'version: "2.0"\nhooks:\n  user_prompt_submit: [{entry}]\n')
    told = []
    for _ in range(2):
        daemon = place.start()
        reply = json.loads(sent(place, "UserPromptSubmit", cwd=str(tmp_path), prompt="tables by migration"))
        told.append(reply["hookSpecificOutput"]["additionalContext"])
        daemon.terminate()
        daemon.wait()

    assert [f"- pdf: Extract tables ({skill})" in text for text in told] == [True, True]
    assert ["Migrations are numbered." in text for text in told] == [True, False]


@pytest.mark.req("P48", "P52")
def test_nudges_at_a_stop(place: Home, tmp_path: Path) -> None:
    """The first hears of changes, a later one of what to remember, a summary always of that."""
    entries = "{type: commit_nudge}, {type: memory_nudge, config: {stops: 2}}"
    place.write_policy(f'version: "2.0"\nhooks:\n  stop: [{entries}]\n')
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "a.py").write_text("x = 1\n")
    subprocess.run(["git", "-C", tmp_path, "add", "a.py"], check=True)
    place.start()
    active = (False, True, False, False)
    stops = [sent(place, "Stop", cwd=str(tmp_path), stop_hook_active=one) for one in active]
    summary = sent(place, "PreCompact", cwd=str(tmp_path), trigger="auto", custom_instructions=None)

    first, again, second, third = (json.loads(one or b"{}") for one in stops)
    assert first["decision"] == "block"
    assert "A  a.py" in first["reason"]
    assert again.get("decision") is None
    assert "Before the context is summarized" in (second.get("reason", "") + third.get("reason", ""))
    assert b"Before the context is summarized" in summary


@pytest.mark.req("U2")
def test_failure_hints(place: Home, tmp_path: Path) -> None:
    """What worked after an error in one session is told in the next one, by another daemon."""
    place.write_policy('version: "2.0"\nhooks: {post_tool_use_failure: [{type: failure_hints}]}\n')

    def ended(session: str, command: str, error: str | None = None) -> bytes:
        name = "PostToolUseFailure" if error else "PostToolUse"
        result = {"error": error} if error else {"tool_response": {"stdout": "fine"}}
        call = {
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": f"{session}{command}{name}",
        }
        return sent(place, name, session_id=session, cwd=str(tmp_path), **call, **result)

    daemon = place.start()
    first = ended("one", "python a.py", "Exit code 1\nwidget broke at line 3")
    ended("one", "uv sync")
    ended("one", "python a.py")
    daemon.terminate()
    daemon.wait()
    place.start()
    replies: list[bytes] = []

    def told() -> bool:
        replies.append(ended(f"s{len(replies)}", "python a.py", "Exit code 1\nwidget broke at line 99"))
        return b"before" in replies[-1]

    wait_for(told, "the ledger is read")
    reply = json.loads(replies[-1])["hookSpecificOutput"]["additionalContext"]
    assert first == b""
    assert reply.endswith("What worked then: `uv sync`, then the same again.")
