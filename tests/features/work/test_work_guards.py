"""Guard rules of an effort in a real daemon: refused when they make no sense, told once they hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, event

from interlock.daemon.client import DaemonError, request

pytestmark = pytest.mark.deep

POLICY = 'version: "2.0"\nsettings: {packs: [work]}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / "app" / ".git").mkdir(parents=True)
    return tmp_path / "app"


@pytest.fixture
def working(served: Home, project: Path) -> Home:
    """A daemon with the pack, and a session that has begun."""
    served.write_policy(POLICY)
    served.call(event("SessionStart", source="startup", cwd=str(project), session_id="s"))
    return served


def start(home: Home, project: Path, guards: Any) -> Any:
    """An effort with guard rules, as a person begins it for a session."""
    params = {"cwd": str(project), "task": "task", "skill": "fix", "session": "s"}
    return request(home.places.socket, "work.effort.start", {**params, "metadata": {"guards": guards}})


def told(home: Home, project: Path, number: int) -> str:
    """What the model is told before a call."""
    answer = home.call(bash("ls", cwd=str(project), session_id="s", tool_use_id=f"t{number}"))
    said = json.loads(answer.stdout)["hookSpecificOutput"] if answer.stdout else {}
    return str(said.get("additionalContext", ""))


@pytest.mark.parametrize(
    ("guards", "words"),
    [
        ({}, "`guards` is not a list"),
        (
            [{"ruleId": "r", "condition": {"field": "heartbeat", "op": "gt", "value": 1}}],
            "`heartbeat_counter`?",
        ),
        ([{"ruleId": "r", "condition": {"cel": "tool =="}}], "cannot be read"),
    ],
)
def test_rules_that_could_never_hold_are_refused(
    working: Home, project: Path, guards: Any, words: str
) -> None:
    """With what is wrong; nothing is begun."""
    with pytest.raises(DaemonError) as caught:
        start(working, project, guards)

    assert words in str(caught.value)
    listed = request(working.places.socket, "work.effort.list", {"cwd": str(project), "all": True})
    assert listed["efforts"] == []


@pytest.mark.req("E47")
def test_a_rule_is_told_when_it_begins_to_hold(working: Home, project: Path) -> None:
    """Once, and it holds no call back; what it says is its payload."""
    rules = [
        {
            "ruleId": "slow",
            "condition": {"field": "heartbeat_counter", "op": "gte", "value": 3},
            "payload": "Log!",
        },
        {"ruleId": "shell", "condition": {"cel": "tool == 'Bash' && skill == 'fix'"}, "payload": {"a": 1}},
    ]
    start(working, project, rules)
    said = [told(working, project, number) for number in range(5)]

    assert said == ['[Guard: shell]\n{"a":1}', "", "[Guard: slow]\nLog!", "", ""]
