"""Conditions that ask about the work of a session, in a real daemon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event

from interlock.daemon.client import request

pytestmark = pytest.mark.deep

POLICY = {
    "version": "2.0",
    "settings": {"packs": ["work"]},
    "hooks": {
        "pre_tool_use": [
            {
                "name": "full",
                "type": "deny",
                "matcher": "Read",
                "if": "has(session.context_usage) && session.context_usage >= 0.9",
                "config": {"reason": "the window is nearly full"},
            },
            {
                "name": "planning",
                "type": "deny",
                "matcher": "Write",
                "if": 'effort.skill == "implement" && effort.phase == "1: Plan"',
                "config": {"reason": "plan first"},
            },
            {
                "name": "silent",
                "type": "deny",
                "matcher": "WebFetch",
                "if": "has(session.heartbeat_counter) && session.heartbeat_counter >= 3",
                "config": {"reason": "say what you found first"},
            },
        ]
    },
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    (tmp_path / "app" / ".git").mkdir(parents=True)
    return tmp_path / "app"


@pytest.fixture
def working(served: Home, project: Path) -> Home:
    """A daemon with rules about the work, and a session that has begun."""
    served.write_policy(json.dumps(POLICY))
    served.call(event("SessionStart", source="startup", cwd=str(project), session_id="s"))
    return served


def ask(home: Home, method: str, project: Path, **params: Any) -> Any:
    return request(home.places.socket, method, {"cwd": str(project), "session": "s", **params})


def called(home: Home, project: Path, tool: str, number: int, **fields: Any) -> str | None:
    """How a call of a session is decided."""
    given = {"file_path": str(project / "a.txt"), "content": "x", "url": "https://example.org"}
    place = {"cwd": str(project), "session_id": "s", **fields}
    call = event("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=f"t{number}", **place)
    return decided(home.call(call))[0]


def test_a_rule_may_ask_for_the_phase_of_the_effort(working: Home, project: Path) -> None:
    """From the moment there is one, and as it changes; a session at nothing is not concerned."""
    assert called(working, project, "Write", 1) is None
    ask(working, "work.effort.start", project, task="task", skill="implement")
    assert called(working, project, "Write", 2) is None
    ask(working, "work.effort.phase", project, label="1: Plan")
    assert called(working, project, "Write", 3) == "deny"
    assert called(working, project, "Write", 4, session_id="other") is None
    ask(working, "work.effort.phase", project, label="2: Build")
    assert called(working, project, "Write", 5) is None


def test_a_rule_may_ask_how_full_the_window_is(working: Home, project: Path, tmp_path: Path) -> None:
    """By the transcript; also right after the daemon was started anew, and not where it is unknown."""
    transcript = tmp_path / "t.jsonl"
    message = {"role": "assistant", "model": "m", "usage": {"input_tokens": 190_000}}
    transcript.write_text(f"{json.dumps({'type': 'assistant', 'message': message})}\n")
    told = {"transcript_path": str(transcript)}
    ask(working, "work.effort.start", project, task="task", skill="implement")
    assert called(working, project, "Read", 1) is None
    working.call(bash("ls", cwd=str(project), session_id="s", tool_use_id="t2", **told))
    assert called(working, project, "Read", 3, **told) == "deny"
    working.end()
    working.start()
    assert called(working, project, "Read", 4, **told) == "deny"


def test_a_rule_may_ask_how_long_nothing_was_logged(working: Home, project: Path) -> None:
    """Earlier than the block, and only for the calls it names."""
    ask(working, "work.effort.start", project, task="task", skill="implement")
    votes = [called(working, project, "WebFetch", number) for number in range(5)]
    ask(working, "work.log", project, text="found it")

    assert votes == [None, None, None, "deny", "deny"]
    assert called(working, project, "WebFetch", 9) is None
