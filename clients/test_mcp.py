"""Acceptance: the real client uses our tools, registered as a person registers them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome
from clients.turns import Blocks, JsonObject, Turn, Use, bash, say, use

ROLES = {"actors": {"main": "agent:executor", "subagents": {"general-purpose": "agent:auditor"}}}
ASKING = {"pre_tool_use": [{"name": "careful", "type": "ask", "matcher": "Bash(rm *)"}]}


@pytest.fixture
def interlock(home: Path, project: Path) -> Iterator[InterlockHome]:
    """Interlock with its MCP server, for a project that is a repository."""
    (project / ".git").mkdir()
    installed = InterlockHome(home=home)
    try:
        installed.call("install", "claude-code", "--mcp")
        yield installed
    finally:
        installed.end()


def tool(name: str, /, **arguments: object) -> Blocks:
    """A turn that calls one of our tools."""
    return (Use(tool=f"mcp__interlock__{name}", input=arguments),)


def last(interlock: InterlockHome, op: str) -> str:
    """What an operation made last."""
    return str(entries_of(interlock, op)[-1]["id"])


def entries_of(interlock: InterlockHome, op: str) -> list[JsonObject]:
    """The entries of an operation."""
    return [entry for entry in interlock.ledger() if entry["op"] == op]


@pytest.mark.req("M6", "M58", "M60", "M70")
def test_a_session_goes_the_whole_way_of_two_commitments(project: Path, interlock: InterlockHome) -> None:
    """Capture, commit, claim, then handed in or closed with evidence; each is its session's own entry."""
    interlock.policy(settings=ROLES)
    turns: list[Turn] = [
        tool("capture", body="Checkout fails for guests", kind="observation"),
        lambda: tool("commit", body="Fix guest checkout", source=last(interlock, "capture"), tags=["shop"]),
        lambda: tool("claim", commitment=last(interlock, "commit")),
        bash("true"),
        lambda: tool("submit", commitment=last(interlock, "commit"), summary="fixed, tests pass"),
        lambda: tool("commit", body="Write it down", source=last(interlock, "capture")),
        lambda: tool("claim", commitment=last(interlock, "commit")),
        tool("capture", body="it is in the manual", kind="evidence"),
        lambda: tool("close", commitment=last(interlock, "commit"), evidence=last(interlock, "capture")),
        tool("search", text="checkout"),
        say("bye"),
    ]
    run = run_claude(project, interlock.home, turns)
    entries = interlock.ledger()
    own = [entry for entry in entries if entry["op"] in {"capture", "commit", "claim", "submit", "close"}]
    ran = next(entry for entry in entries if entry.get("tool") == "Bash" and entry["op"] == "decision")

    assert run.left == 0
    assert {entry["actor"] for entry in own} == {"agent:executor"}
    assert len({entry["session_id"] for entry in own}) == 1
    assert ran["commitment_id"] == entries_of(interlock, "commit")[0]["id"]
    assert '"state":"closed"' in run.tool_results()[4]
    assert '"state":"closed"' in run.tool_results()[8]
    assert "Checkout fails for guests" in run.tool_results()[9]
    assert interlock.call("ledger", "verify").returncode == 0


@pytest.mark.req("M65", "M67")
def test_the_agent_does_not_approve_its_own_and_its_sub_agent_may(
    project: Path, interlock: InterlockHome
) -> None:
    """The code reaches the model; a sub-agent calls through the same server under its own name."""
    interlock.policy(settings={**ROLES, "tiers": {"tier_2": "review"}})
    turns: list[Turn] = [
        tool("capture", body="seen"),
        lambda: tool("commit", body="fix it", source=last(interlock, "capture")),
        lambda: tool("claim", commitment=last(interlock, "commit")),
        lambda: tool("submit", commitment=last(interlock, "commit"), summary="done"),
        lambda: tool("approve", commitment=last(interlock, "commit")),
        use("Agent", description="check", prompt="CHECKER: look at it", subagent_type="general-purpose"),
        say("bye"),
    ]
    checker: list[Turn] = [lambda: tool("approve", commitment=last(interlock, "commit")), say("approved")]
    run = run_claude(project, interlock.home, turns, agents={"CHECKER": checker})
    (approval,) = entries_of(interlock, "approve")

    assert "E_PERMISSION_DENIED: you cannot approve your own work" in run.tool_results()[4]
    assert "ask someone else to approve it" in run.tool_results()[4]
    assert approval["actor"] == "agent:auditor"


def test_a_call_is_explained_asked_about_and_made(project: Path, interlock: InterlockHome) -> None:
    """The request binds the very call the client makes afterwards; a policy speaks of our tools too."""
    denied = {"name": "quiet", "type": "deny", "matcher": "mentu_reject(*)", "config": {"reason": "not you"}}
    interlock.policy(hooks={"pre_tool_use": [*ASKING["pre_tool_use"], denied]})
    call = {"command": "rm -r build", "description": "scripted"}

    def approve_and_make() -> Blocks:
        interlock.approve_pending()
        return bash("rm -r build")

    turns: list[Turn] = [
        tool("explain", tool="Bash", input=call),
        tool("request_approval", tool="Bash", input=call),
        approve_and_make,
        tool("reject", commitment="cmt_00000000", reason="x"),
        say("bye"),
    ]
    run = run_claude(project, interlock.home, turns)
    explained, asked, _, rejected = run.tool_results()

    assert '"decision":"ask"' in explained
    assert '"state":"pending"' in asked
    assert "Tool denied: not you" in rejected
    assert not (project / "build").exists()
    assert [entry["state"] for entry in entries_of(interlock, "approval")] == ["requested", "used"]
