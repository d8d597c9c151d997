"""What was decided in a real daemon, replayed under the same policy: nothing is decided otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, event
from tests.features.commitments.test_commitment_methods import ask
from tests.features.gates.test_gates import ACTOR, approve, claim, policy, push, stop

from interlock.daemon.client import request

pytestmark = pytest.mark.deep

MORE = """
  pre_tool_use:
    - {type: deny, matcher: "Bash(npm publish *)", if: commitment.requires_review}
    - {type: deny, matcher: "Bash(make *)", if: "session.context_usage > 0.5", config: {reason: never}}
    - {type: ask, matcher: "Bash(git tag *)"}
    - {type: loop_guard}
    - {type: trust_gate}
"""


def replayed(home: Home) -> dict[str, object]:
    """What `interlock replay` finds, run by a person."""
    env = {"PATH": os.defpath, "INTERLOCK_HOME": str(home.folder), "HOME": str(home.folder)}
    command = [str(Path(sys.executable).with_name("interlock")), "replay", "--json"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, cwd=home.folder)
    assert done.stdout, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_the_same_policy_decides_nothing_otherwise(served: Home, tmp_path: Path) -> None:
    """Gates, asks, conditions on the work, counts of calls, and what a person's word decided."""
    (tmp_path / ".git").mkdir()
    served.write_policy(policy() + MORE.lstrip("\n"))
    assert push(served, tmp_path) == (None, "")
    name = claim(served, tmp_path, "risky")
    assert push(served, tmp_path)[0] == "deny"
    assert push(served, tmp_path, "npm publish x")[0] == "deny"
    stop(served, tmp_path)
    for _ in range(6):
        served.call(bash("make all", cwd=str(tmp_path)))
    served.call(bash("git tag v1", cwd=str(tmp_path)))
    approve(served, "ap_2")
    served.call(bash("git tag v1", cwd=str(tmp_path)))
    approve(served, "ap_1")
    assert push(served, tmp_path) == (None, "")
    ask(served, tmp_path, "release", ACTOR, commitment=name)
    push(served, tmp_path, "npm publish x")
    served.call(bash("git tag v2", cwd=str(tmp_path)))
    request(served.places.socket, "approvals.deny", {"ids": ["ap_3"], "note": "no"})
    assert stop(served, tmp_path)["decision"] == "block"
    served.call(event("UserPromptSubmit", prompt="go on", cwd=str(tmp_path)))
    found = replayed(served)

    assert (found["changed"], found["changes"]) == (0, [])
    assert found["skipped"] == {"a person decided it": 1}
    assert isinstance(found["replayed"], int)
    assert found["replayed"] > 12


def test_what_was_held_by_the_work_and_what_ran_once_stay_so(served: Home, tmp_path: Path) -> None:
    """A heartbeat that held calls, and the one run of a `once` hook that changed its input."""
    modified = json.dumps({"decision": "modify", "modified_input": {"command": "echo LOUD"}})
    once = {"type": "command", "matcher": "Bash(echo *)", "once": True}
    command = {**once, "config": {"command": f"cat >/dev/null; echo '{modified}'"}}
    hooks = {"pre_tool_use": [command]}
    work = {"packs": ["work"], "work": {"block_after": 3}}
    served.write_policy(json.dumps({"version": "2.0", "settings": work, "hooks": hooks}))
    began = {"skill": "effort", "args": "start tasks/shop implement"}
    served.call(event(tool_name="Skill", tool_input=began, tool_use_id="s1", cwd=str(tmp_path)))
    for number, typed in enumerate(("echo a", "echo b", "make a", "make b", "ls")):
        served.call(bash(typed, tool_use_id=f"t{number}", cwd=str(tmp_path)))
    decided = [entry.body for entry in served.entries("decision")][1:]
    found = replayed(served)

    assert [one.get("updated_input") for one in decided[:2]] == [{"command": "echo LOUD"}, None]
    assert {one["decided_by"] for one in decided[2:]} >= {"work/heartbeat"}
    assert (found["changed"], found["changes"]) == (0, [])


def test_what_was_said_of_files_and_calls_that_are_others_now_stays_so(served: Home, tmp_path: Path) -> None:
    """A repeat of a call, and a redirect to a target that is gone; a changed policy looks anew."""
    hooks = {
        "pre_tool_use": [{"type": "record_tool_use", "config": {"repeat": "deny"}}, {"type": "redirect"}]
    }
    served.write_policy(json.dumps({"version": "2.0", "hooks": hooks}))
    makefile = tmp_path / "Makefile"
    makefile.write_text("test:\n\ttrue\n")
    for number, typed in enumerate(("touch a", "touch a", "pytest")):
        about: dict[str, Any] = {
            "tool_name": "Bash",
            "tool_input": {"command": typed},
            "tool_use_id": f"t{number}",
        }
        served.call(event(cwd=str(tmp_path), **about))
        served.call(event("PostToolUse", cwd=str(tmp_path), tool_response={"stdout": ""}, **about))
    befores = [one.body for one in served.entries("decision") if one.body["event"] == "PreToolUse"]
    makefile.unlink()
    found = replayed(served)

    assert [one["decision"] for one in befores] == ["allow", "deny", "allow"]
    assert befores[2]["updated_input"] == {"command": "make test"}
    assert (found["changed"], found["changes"]) == (0, [])
    served.write_policy(json.dumps({"version": "2.0", "settings": {"packs": []}, "hooks": hooks}))
    assert replayed(served)["changed"] == 1
