"""Explaining a call and asking for approval ahead of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.daemon.home import Home
from tests.features.mcp.agent import SESSION, Agent, person

pytestmark = pytest.mark.deep

POLICY = """version: "2.0"
hooks:
  pre_tool_use:
    - {{name: never, type: deny, matcher: "Bash(git push *)", config: {{reason: not from here}}}}
    - {{name: careful, type: ask, matcher: "Bash(rm *)"}}
    - {{name: first, type: deny, once: true, matcher: "Bash(make once)", config: {{reason: only once}}}}
    - name: program
      type: command
      matcher: "Bash(make *)"
      config: {{command: "touch {mark}; echo '{{}}'"}}
"""
RM = {"command": "rm -r build"}


@pytest.fixture
def guarded(agent: Agent, tmp_path: Path) -> Agent:
    """An agent under a policy that denies, asks, and runs a program."""
    agent.home.write_policy(POLICY.format(mark=tmp_path / "ran"))
    return agent


def decision(said: str) -> str:
    """What a report was answered with."""
    own: dict[str, Any] = json.loads(said)["hookSpecificOutput"] if said else {}
    return str(own.get("permissionDecision", "allow"))


@pytest.mark.req("M45", "M48")
@pytest.mark.parametrize(
    ("command", "expected"),
    [("ls", "allow"), ("git push origin", "deny"), ("cd x && git push", "deny"), ("rm -r build", "ask")],
)
def test_explained_is_what_is_decided(guarded: Agent, command: str, expected: str) -> None:
    """The same word, the same reason; what is asked about is denied with a ticket here."""
    told = guarded.done("explain", tool="Bash", input={"command": command})
    said = guarded.bash(command)

    assert told["decision"] == expected
    assert decision(said) == ("deny" if expected == "ask" else expected)
    if expected != "allow":
        assert told["reason"] in said
        assert told["decided_by"] in {"never", "careful"}


def test_explaining_records_no_decision_and_runs_no_program(guarded: Agent, tmp_path: Path) -> None:
    """The program is named instead; a hook that runs once keeps its run."""
    told = guarded.done("explain", tool="Bash", input={"command": "make all"})
    once = [guarded.done("explain", tool="Bash", input={"command": "make once"}) for _ in range(2)]
    tools = {entry.tool for entry in guarded.home.entries("decision")}

    assert told["decision"] == "allow"
    assert told["not_run"] == ["program"]
    assert "program" in told["next"]
    assert [one["decision"] for one in once] == ["deny", "deny"]
    assert tools == {None, "mcp__interlock__explain"}
    assert guarded.home.entries("approval") == []
    assert not (tmp_path / "ran").exists()
    guarded.bash("make all")
    assert (tmp_path / "ran").exists()


def test_explaining_a_call_is_not_making_it(agent: Agent) -> None:
    """Where a repeat is denied, the call after it is not a repeat; after a real one it is, and is told so."""
    agent.home.write_policy(
        'version: "2.0"\nhooks:\n  pre_tool_use: [{type: record_tool_use, config: {repeat: deny}}]\n'
    )
    mail = {"command": "mail -s hi bob@example.org"}
    before = [agent.done("explain", tool="Bash", input=mail)["decision"] for _ in range(2)]
    made = agent.bash(mail["command"])
    after = agent.done("explain", tool="Bash", input=mail)

    assert before == ["allow", "allow"]
    assert decision(made) == "allow"
    assert after["decision"] == "deny"
    assert "Idempotent tool call detected." in after["reason"]


def test_the_gate_s_own_files_are_explained_too(guarded: Agent) -> None:
    """Self-protection stands in what is explained."""
    database = str(guarded.home.places.database)

    assert guarded.done("explain", tool="Read", input={"file_path": database})["decision"] == "deny"


def test_a_long_text_is_explained(guarded: Agent) -> None:
    """Read where long texts are read, while others are served."""
    text = "echo " + "x" * 50_000 + "; git push origin"

    assert guarded.done("explain", tool="Bash", input={"command": text})["decision"] == "deny"


@pytest.mark.req("Z04")
def test_an_approval_asked_ahead_is_good_for_that_call_once(guarded: Agent) -> None:
    """Asked, answered, seen as answered without being used up, used, gone; another call is another."""
    asked = guarded.done("request_approval", tool="Bash", input=RM)
    again = guarded.done("request_approval", tool="Bash", input=RM)
    person(guarded.home, "approvals.approve", ids=[asked["approval"]])
    seen = [guarded.done("request_approval", tool="Bash", input=RM)["state"] for _ in range(2)]
    other = guarded.bash("rm -rf build")
    first, second = guarded.bash(RM["command"]), guarded.bash(RM["command"])

    assert (asked["state"], asked["approval"]) == ("pending", "ap_1")
    assert again == asked
    assert seen == ["approved", "approved"]
    assert decision(other) == "deny"
    assert decision(first) == "allow"
    assert decision(second) == "deny"
    told = [(entry.body["approval"], entry.body["state"]) for entry in guarded.home.entries("approval")]
    assert told[:4] == [
        ("ap_1", "requested"),
        ("ap_1", "approved"),
        ("ap_2", "requested"),
        ("ap_1", "used"),
    ]
    assert guarded.home.entries("approval")[0].session_id == SESSION


def test_a_yes_given_ahead_also_counts_where_somebody_could_be_asked(guarded: Agent) -> None:
    """A person at the host is not asked a second time for the same call."""
    asked = guarded.done("request_approval", tool="Bash", input=RM)
    person(guarded.home, "approvals.approve", ids=[asked["approval"]])
    attended = {"permission_mode": "default", "tool_name": "Bash", "tool_input": RM}
    said = guarded.report(hook_event_name="PreToolUse", tool_use_id="toolu_p", **attended)

    assert decision(said) == "allow"
    assert guarded.home.entries("approval")[-1].body["state"] == "used"


def test_what_nobody_can_approve_or_need_not_is_said(guarded: Agent) -> None:
    """Forbidden and not needed open no request; a refusal is told."""
    forbidden = guarded.done("request_approval", tool="Bash", input={"command": "git push"})
    free = guarded.done("request_approval", tool="Bash", input={"command": "ls"})
    asked = guarded.done("request_approval", tool="Bash", input=RM)
    person(guarded.home, "approvals.deny", ids=[asked["approval"]])
    refused = guarded.done("request_approval", tool="Bash", input=RM)

    assert (forbidden["state"], free["state"]) == ("forbidden", "not_needed")
    assert forbidden["reason"] == "not from here"
    assert (refused["state"], refused["approval"]) == ("denied", asked["approval"])


def test_an_agent_cannot_answer_what_it_asked(guarded: Agent) -> None:
    """The tool `approve` is of commitments; a request's name is none."""
    asked = guarded.done("request_approval", tool="Bash", input=RM)

    assert guarded.refused("approve", commitment=asked["approval"]) == "E_REF_NOT_FOUND"
    assert guarded.done("request_approval", tool="Bash", input=RM)["state"] == "pending"


def test_a_grant_of_the_session_needs_no_request(guarded: Agent) -> None:
    """It is named, and no use of it is recorded before the call."""
    asked = guarded.done("request_approval", tool="Bash", input=RM)
    person(guarded.home, "approvals.approve", ids=[asked["approval"]], grant={})
    guarded.bash(RM["command"])
    granted = guarded.done("request_approval", tool="Bash", input=RM)

    assert (granted["state"], granted["grant"]) == ("granted", "gr_1")
    assert decision(guarded.bash(RM["command"])) == "allow"


@pytest.mark.req("M73")
def test_a_broken_policy_explains_nothing(place: Home, project: Path) -> None:
    """Everything is denied then, and it says so."""
    place.write_policy("version: [\n")
    place.start()
    agent = Agent.start(place, project)
    try:
        told = [agent.bare(tool, tool="Bash", input=RM) for tool in ("explain", "request_approval")]
    finally:
        agent.end()

    assert [one["document"]["error"] for one in told] == ["E_PERMISSION_DENIED"] * 2
