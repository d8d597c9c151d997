"""Laws of several opinions on one call, from the host's report to the ledger."""

from __future__ import annotations

from typing import Any

import pytest
from tests.daemon.home import Home, bash, decided, event

pytestmark = [pytest.mark.req("Z12"), pytest.mark.deep]

POLICY = """\
version: "2.0"
permissions:
  actors:
    agent:main:
      allow: ["Read", "Bash(git *)", "Task(executor)"]
    agent:helper:
      allow: ["Read", "Write", "Bash"]
    agent:executor:
      allow: ["Read", "Write", "Bash(make *)"]
"""
EAGER = """\
version: "2.0"
hooks:
  pre_tool_use:
    - name: eager
      type: command
      matcher: Bash
      auto_approve: true
      config: {command: 'echo "{\\"decision\\": \\"allow\\", \\"reason\\": \\"fine by me\\"}"'}
    - {name: stop, type: deny, matcher: "Bash(git push *)", config: {reason: "not today"}}
    - name: last
      type: command
      matcher: Bash
      config: {command: 'echo "{\\"decision\\": \\"allow\\"}"'}
"""
WRITE = {"tool_name": "Write", "tool_input": {"file_path": "/usr/share/x", "content": ""}}
READ = {"tool_name": "Read", "tool_input": {"file_path": "/usr/share/x"}}


def shell(command: str) -> dict[str, Any]:
    """A shell command, as fields of an event."""
    return {"tool_name": "Bash", "tool_input": {"command": command}}


@pytest.mark.parametrize(
    ("who", "call", "passes"),
    [
        ("helper", READ, True),
        ("helper", shell("git log"), True),
        ("helper", WRITE, False),
        ("helper", shell("make"), False),
        ("executor", WRITE, True),
        ("executor", shell("make test"), True),
        ("executor", shell("git log"), False),
        ("stranger", READ, False),
        (None, WRITE, False),
        (None, shell("git log"), True),
    ],
)
def test_a_sub_agent_has_no_more_than_its_parent_or_what_was_delegated(
    place: Home, who: str | None, call: dict[str, Any], passes: bool
) -> None:
    """Without delegation both must permit; a named delegate acts under its own entry, and only that."""
    place.write_policy(POLICY)
    place.start()
    sub = {"agent_id": "a1", "agent_type": who} if who else {}
    verdict, reason = decided(place.call(event(**call, **sub, actor="agent:root", permission_mode="default")))

    assert (verdict != "deny") is passes, reason
    (entry,) = place.entries("decision")
    assert entry.actor == (f"agent:{who}" if who else "agent:main")
    assert bool(reason) is not passes


def test_an_allow_lifts_no_deny_wherever_it_stands(place: Home) -> None:
    """The first hook says yes and even may skip the host's prompt; the second says no, and no it is."""
    place.write_policy(EAGER)
    place.start()
    verdict, reason = decided(place.call(bash("git push origin")))

    assert (verdict, reason) == ("deny", "Tool denied: not today")
    (entry,) = place.entries("decision")
    assert entry.decision == "deny"
    assert [(row["hook"], row["vote"]) for row in entry.body["trace"]] == [
        ("eager", "allow"),
        ("stop", "deny"),
    ]


def test_an_early_allow_ends_nothing(place: Home) -> None:
    """Every later hook is asked all the same, and the entry shows what each said."""
    place.write_policy(EAGER)
    place.start()
    verdict, _ = decided(place.call(bash("git log")))

    assert verdict == "allow"
    (entry,) = place.entries("decision")
    assert [row["hook"] for row in entry.body["trace"]] == ["eager", "last"]
    assert entry.body["skipped"] == ["stop"]
