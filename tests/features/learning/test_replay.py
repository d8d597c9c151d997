"""Laws of trying a policy on what was recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.builders import bash, call, write
from tests.features.learning.conftest import Record, Run

from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.events.event import Event
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

Policy = Callable[[str], Path]

DENY_PUSH = """
hooks:
  pre_tool_use:
    - {name: no-push, type: deny, matcher: "Bash(git push *)", config: {reason: not from here}}
    - {name: ask-npm, type: ask, matcher: "Bash(npm publish*)"}
permissions:
  actors:
    agent:main: {allow: ["Bash(git *)", "Bash(npm *)", Read, "Write(src/*)"]}
    agent:Explore: {allow: [Read]}
"""


def events() -> list[Event]:
    """Calls of every outcome, of two actors, and a prompt."""
    host: dict[str, Any] = {"cwd": "/w/app", "project": "/w/app", "host": "claude-code"}
    return [
        bash("git push origin main", **host),
        bash("git status", **host),
        bash("npm publish", **host),
        bash("ls", **host),
        write("src/a.py", **{k: v for k, v in host.items() if k != "cwd"}),
        call("Read", tool_input={"file_path": "/w/app/x"}, actor="agent:Explore", agent_type="Explore",
             agent_id="a1", parent_actor="agent:main", **host),
        Event(name="UserPromptSubmit", session_id="s1", prompt="do it", **host),
        call("Bash", name="PostToolUse", tool_input={"command": "git status"}, **host),
    ]  # fmt: skip


def test_the_policy_in_force_changes_nothing(policy: Policy, record: Record, run: Run) -> None:
    """What was decided is decided again, whoever acted and whatever became of an ask."""
    policy(DENY_PUSH)
    record(*events())
    result = run("replay", "--json")
    found = json.loads(result.stdout)

    assert result.exit_code == 0
    assert (found["replayed"], found["changed"], found["skipped"]) == (7, 0, {})


def test_every_decision_that_changes_is_shown_with_both_sides(
    policy: Policy, record: Record, run: Run, tmp_path: Path
) -> None:
    """Exactly the calls the new policy decides otherwise, counted, with rule and reason of both."""
    policy(DENY_PUSH)
    record(*events(), bash("git push origin main", cwd="/w/app", project="/w/app", host="claude-code"))
    new = tmp_path / "new.key"
    new.write_text('version: "2.0"\n' + DENY_PUSH.replace("git push *", "git status*").replace("Read,", ""))
    result = run("replay", "--config", str(new), "--json")
    found = json.loads(result.stdout)
    changes = {
        (one["subject"], one["before"]["decision"], one["after"]["decision"]): one for one in found["changes"]
    }

    assert result.exit_code == 1
    assert set(changes) == {
        ("git push origin main", "deny", "allow"),
        ("git status", "allow", "deny"),
        ("/w/app/x", "allow", "deny"),
    }
    pushed = changes["git push origin main", "deny", "allow"]
    assert (pushed["count"], pushed["before"]["rule"]) == (2, "no-push")
    assert found["changed"] == 4
    text = run("replay", "--config", str(new)).stdout
    assert "deny → allow  2 times  Bash git push origin main" in text
    assert "not from here" in text


def test_an_answered_ask_is_still_an_ask(policy: Policy, record: Record, run: Run) -> None:
    """What a person said to it is not the policy's doing."""
    policy(DENY_PUSH)
    (asked,) = record(events()[2])
    _append(
        {
            "event": "PreToolUse", "decision": "allow", "decided_by": "ask-npm", "approval": "ap_1",
            "tool": "Bash", "tool_input": {"command": "npm publish"}, "cwd": "/w/app", "host": "claude-code",
            "session_id": "s1", "trace": [{"hook": "ask-npm", "type": "ask", "vote": "ask"}],
        }
    )  # fmt: skip

    assert str(asked.vote) == "ask"
    assert json.loads(run("replay", "--json").stdout)["changed"] == 0


@pytest.mark.deep
def test_programs_do_not_run_and_what_they_said_stands(
    policy: Policy, record: Record, run: Run, tmp_path: Path
) -> None:
    """A hook's recorded answer is taken; a hook without one is named, and nothing is started."""
    mark = tmp_path / "ran"
    command = f'touch {mark}; echo \'{{"decision":"deny","reason":"no"}}\''
    hook = f"""
hooks:
  pre_tool_use:
    - {{name: outside, type: command, matcher: Bash, config: {{command: {json.dumps(command)}}}}}
"""
    policy(hook)
    record(bash("git status", cwd=str(tmp_path), host="claude-code"))
    mark.unlink()
    found = json.loads(run("replay", "--json").stdout)
    renamed = tmp_path / "new.key"
    renamed.write_text('version: "2.0"\n' + hook.replace("outside", "another"))
    other = json.loads(run("replay", "--config", str(renamed), "--json").stdout)

    assert (found["changed"], found["from_record"]) == (0, {"outside": 1})
    assert (other["changed"], other["not_replayed"]) == (1, {"another": 1})
    assert other["changes"][0]["uncertain"]
    assert not mark.exists()


def test_secrets_that_were_taken_out_are_told(policy: Policy, run: Run) -> None:
    """A decision that rests on a text nobody has any more is marked."""
    policy(DENY_PUSH)
    body: dict[str, Any] = {
        "event": "PreToolUse", "decision": "deny", "decided_by": "x", "tool": "Bash", "cwd": "/w",
        "tool_input": {"command": "git fetch [secret:token:0123456789abcdef]"}, "host": "claude-code",
    }  # fmt: skip
    _append(body)
    found = json.loads(run("replay", "--json").stdout)

    assert (found["redacted"], found["changes"][0]["redacted"]) == (1, True)
    assert "secrets taken out" in run("replay").stdout


def test_what_cannot_be_replayed_is_counted_with_its_reason(policy: Policy, run: Run) -> None:
    """Nothing is left out silently."""
    policy(DENY_PUSH)
    _append({"event": "PreToolUse", "decision": "deny", "tool": "Bash"})
    _append({"event": "PreToolUse", "decision": "deny", "trace": 7})
    found = json.loads(run("replay", "--json").stdout)

    assert found["replayed"] == 0
    assert found["skipped"] == {"its input is not recorded": 1, "its record cannot be read": 1}


def test_only_the_newest_or_those_of_a_session(policy: Policy, record: Record, run: Run) -> None:
    """Limits count decisions that are replayed."""
    policy(DENY_PUSH)
    record(*events(), bash("git log", session_id="s2", cwd="/w", host="claude-code"))

    assert json.loads(run("replay", "--limit", "3", "--json").stdout)["replayed"] == 3
    assert json.loads(run("replay", "--session", "s2", "--json").stdout)["replayed"] == 1
    with pytest.raises(InterlockError, match="not a time"):
        run("replay", "--since", "soon")


def test_an_unknown_session_gets_one_sentence(policy: Policy, record: Record, run: Run) -> None:
    """Otherwise a mistyped session would look like one in which nothing changes."""
    policy(DENY_PUSH)
    record(*events())

    with pytest.raises(InterlockError, match="no session `s9` is recorded; `interlock log`"):
        run("replay", "--session", "s9")


def test_a_policy_with_mistakes_is_an_error_of_its_own(
    policy: Policy, record: Record, run: Run, tmp_path: Path
) -> None:
    """Exit code 2: it could not be tried, which is not the same as a change."""
    policy(DENY_PUSH)
    record(*events())
    broken = tmp_path / "new.key"
    broken.write_text('version: "2.0"\nhoks: {}\n')
    result = run("replay", "--config", str(broken))

    assert result.exit_code == 2
    assert "hooks" in result.stderr


def test_actors_are_those_of_the_new_policy(policy: Policy, record: Record, run: Run, tmp_path: Path) -> None:
    """A policy that names the main agent anew judges it under that name."""
    policy(DENY_PUSH)
    record(bash("git status", cwd="/w", host="claude-code"))
    new = tmp_path / "new.key"
    settings = "settings: {actors: {main: agent:reader}}\n"
    new.write_text('version: "2.0"\n' + settings + "permissions: {actors: {agent:reader: {allow: [Read]}}}\n")
    (change,) = json.loads(run("replay", "--config", str(new), "--json").stdout)["changes"]

    assert (change["actor"], change["after"]["decision"]) == ("agent:reader", "deny")


def _append(body: dict[str, Any]) -> None:
    with closing(open_database(here().database)) as connection:
        writer = LedgerWriter(connection)
        writer.append("decision", "agent:main", "/w", body)
        writer.flush()
