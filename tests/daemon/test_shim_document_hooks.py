"""What two of the documents ask of hooks, line by line, between the real shim and a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home
from tests.handlers.endpoint import Endpoint, serving

from interlock.features.ledger_tools.cli_stats import shell_log

pytestmark = pytest.mark.deep

RUNNING = """
[[hooks]]
event = "pre_tool_use"
tool_matcher = "Bash*"
once = true
[hooks.shell]
command = "echo once >> ran"

[[hooks]]
event = "preToolUse"
[hooks.shell]
command = "echo each >> ran"

[[hooks]]
event = "PreToolUse"
[hooks.webhook]
url = "{url}"
allow_private = true
"""
CHANGING = """
[[hooks]]
event = "PreToolUse"
[hooks.shell]
command = "cat answer.json"
parse_result = true

[[hooks]]
event = "PrePromptSubmit"
[hooks.shell]
command = "cat answer.json"
parse_result = true
"""


def sent(home: Home, name: str, cwd: Path, session: str = "s1", **fields: Any) -> dict[str, Any]:
    """What the host hears when it reports an event."""
    event = {
        "session_id": session,
        "hook_event_name": name,
        "transcript_path": "/t",
        "cwd": str(cwd),
        **fields,
    }
    done = home.shim(json.dumps(event).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    reply: dict[str, Any] = json.loads(done.stdout or b"{}")
    own: dict[str, Any] = reply.get("hookSpecificOutput", {})
    return own


def called(home: Home, cwd: Path, command: str, use: str, tool: str = "Bash") -> dict[str, Any]:
    """The reply to a shell call, which then ends well."""
    call: dict[str, Any] = {"tool_name": tool, "tool_input": {"command": command}, "tool_use_id": use}
    reply = sent(home, "PreToolUse", cwd, permission_mode="default", **call)
    sent(home, "PostToolUse", cwd, tool_response={"stdout": ""}, **call)
    return reply


def answer(cwd: Path, value: Any) -> None:
    """What the hooks that read a file say."""
    (cwd / "answer.json").write_text(json.dumps({"ModifyInput": {"new_input": value}}))


@pytest.mark.req("C23", "C51", "C90")
def test_a_changed_input_runs_nothing_a_second_time(place: Home, tmp_path: Path) -> None:
    """Neither a `once` hook, nor a program or a webhook of `hooks.toml`."""
    with serving(Endpoint(body=b'"Continue"')) as endpoint:
        place.places.user_config.mkdir(parents=True)
        (place.places.user_config / "hooks.toml").write_text(RUNNING.format(url=endpoint.url) + CHANGING)
        place.start()
        answer(tmp_path, {"command": "pwd"})
        replies = [called(place, tmp_path, command, command) for command in ("ls", "ls -l")]

    assert [reply["updatedInput"] for reply in replies] == [{"command": "pwd"}] * 2
    assert (tmp_path / "ran").read_text().split() == ["once", "each", "each"]
    asked = [one.document["tool_input"] for one in endpoint.requests if one.document["event"] == "PreToolUse"]
    assert asked == [{"command": "ls"}, {"command": "ls -l"}]


@pytest.mark.req("C43", "C45")
def test_a_new_input_is_what_the_host_takes(place: Home, tmp_path: Path) -> None:
    """An object for a tool, a text or an object with one for a prompt; any other is counted as no answer."""
    place.places.user_config.mkdir(parents=True)
    (place.places.user_config / "hooks.toml").write_text(CHANGING)
    place.start()
    heard = []
    for value in ("Be brief.", {"prompt": "Be brief."}, {"command": "pwd"}, ["a"], 3, None):
        answer(tmp_path, value)
        prompt = sent(place, "UserPromptSubmit", tmp_path, prompt="Explain.").get("additionalContext", "")
        heard.append(
            (prompt.endswith("\nBe brief."), called(place, tmp_path, "ls", repr(value)).get("updatedInput"))
        )

    assert heard == [
        (True, None),
        (True, {"prompt": "Be brief."}),
        (False, {"command": "pwd"}),
        *[(False, None)] * 3,
    ]
    status = place.status()
    assert status is not None
    assert status["open_passes"] == 8  # a text for a tool, an object without a prompt, three values at both


@pytest.mark.req("U7", "U20")
def test_wrong_fields_bring_a_hint_in_each_session(place: Home, tmp_path: Path) -> None:
    """In the words of several validators, whether the host calls it a failure or not."""
    place.write_policy('version: "2.0"\nhooks: {post_tool_use: [{type: schema_hint}]}\n')
    place.start()
    texts = [
        "TypeError: find() missing 1 required positional argument: 'q'",
        'Invalid arguments for tool find: [{"path": ["q"], "message": "Required"}]',
        "1 validation error for Find\nq\n  Field required [type=missing]",
        "Input validation error: 'q' is a required property",
    ]
    call = {"tool_name": "mcp__x__find", "tool_input": {}}
    for number, text in enumerate(texts):
        for session in "ab":
            fields = {**call, "tool_use_id": f"t{number}"}
            failed = sent(place, "PostToolUseFailure", tmp_path, session, error=text, **fields)
            again = sent(place, "PostToolUse", tmp_path, session, tool_response=text, **fields)
            ended = sent(place, "PostToolUse", tmp_path, f"{session}2", tool_response=text, **fields)

            assert "rejected the fields of the call" in failed["additionalContext"], text
            assert again == {}, text
            assert ended == failed | {"hookEventName": "PostToolUse"}, text


@pytest.mark.req("U8", "U28")
def test_what_shells_change_is_on_record_and_each_command_in_the_audit(place: Home, tmp_path: Path) -> None:
    """Seen from where the call is made; what a program may do that nobody has read is said to be unknown."""
    place.write_policy('version: "2.0"\nhooks: {pre_tool_use: [{type: check_bash_side_effects}]}\n')
    place.start()
    (tmp_path / "docs").mkdir()
    wanted = {
        "cd docs && touch rel": {"creates": ["docs/rel"], "side_effect": "local"},
        "ls | tee c": {"creates": ["c"], "side_effect": "local"},
        "rsync -a a b": {"creates": ["b"], "side_effect": "local"},
        "python x.py": {"unknown": ["python x.py"], "side_effect": "external"},
    }
    tools = ["Bash", "execute_bash_command", "Bash", "Bash"]
    for tool, command in zip(tools, wanted, strict=True):
        called(place, tmp_path, command, command, tool)
    called(place, tmp_path, "touch d", "t5", "mcp__shell__run")

    found = list(shell_log(reversed(place.entries())))
    assert [one.command for one in found] == ["touch d", *reversed(wanted)]
    rows = [row for entry in place.entries("decision") for row in entry.body["trace"]]
    assert [row["evidence"]["data"] for row in rows if row.get("evidence")] == list(wanted.values())


@pytest.mark.req("P9", "P17", "P18", "P25")
def test_test_commands_and_prompts_are_understood_as_they_are_written(place: Home, tmp_path: Path) -> None:
    """In a project with a package alone, and in one with a Makefile; and what is negated is not suggested."""
    place.write_policy(
        'version: "2.0"\nsettings: {packs: [prompts]}\nhooks: {pre_tool_use: [{type: redirect}]}\n'
    )
    place.start()
    node, make = tmp_path / "node", tmp_path / "make"
    for folder in (node, make):
        folder.mkdir()
    (node / "package.json").write_text('{"scripts": {"test": "vitest"}}')
    (make / "Makefile").write_text("test:\n\ttrue\ne2e:\n\ttrue\n")

    def after(cwd: Path, command: str) -> str | None:
        changed: dict[str, str] = called(place, cwd, command, f"{cwd.name} {command}").get("updatedInput", {})
        return changed.get("command")

    assert after(node, "pytest") == after(node, "npx jest") == "npm test"
    for command in ("npm t", "npx jest", "vitest", "bun test"):
        assert after(make, command) == "make test", command
    assert after(make, "time pytest") == "time make test"
    assert after(make, "cargo test --test '*'") == after(make, "pytest tests/") == "make e2e"
    inverted = called(place, make, "! npm test", "inverted")["additionalContext"]
    assert "inverts the exit status" in inverted
    assert "without a space: `!npm test`" in inverted

    assert sent(place, "UserPromptSubmit", tmp_path, prompt="don't ship yet") == {}
    shipped = sent(place, "UserPromptSubmit", tmp_path, prompt="shpi it")
    assert shipped["additionalContext"] == "Invoke /ship."
