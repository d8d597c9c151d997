"""Acceptance: what the real client asks, answered by a person in another terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import PROGRAM, InterlockHome
from clients.turns import Blocks, Turn, bash, say
from tests.terminal import at_terminal

ASKING = {"pre_tool_use": [{"name": "careful", "type": "ask", "matcher": "Bash(rm *)"}]}
DELETE = bash("rm -r build")
REBUILD = bash("mkdir build && touch build/kept.txt")


@pytest.fixture
def interlock(home: Path) -> Iterator[InterlockHome]:
    """Interlock installed for the user of this home, with a policy that asks before a delete."""
    installed = InterlockHome(home=home)
    installed.policy(hooks=ASKING)
    try:
        installed.install()
        yield installed
    finally:
        installed.end()


def approve(interlock: InterlockHome, *words: str) -> str:
    """What a person sees who approves on a terminal of their own, and types `y`."""
    env = {
        "PATH": os.defpath,
        "HOME": str(interlock.home),
        "INTERLOCK_HOME": str(interlock.folder),
        "TERM": "dumb",
    }
    code, screen = at_terminal(
        [str(PROGRAM), "approvals", "approve", *words], b"y\n", env=env, cwd=interlock.home
    )
    assert code == 0, screen
    return screen


def told(interlock: InterlockHome, op: str) -> list[tuple[str, str]]:
    """What the ledger says became of requests or grants."""
    entries = [entry for entry in interlock.ledger() if entry["op"] == op]
    return [(entry["grant" if op == "grant" else "approval"], entry["state"]) for entry in entries]


@pytest.mark.req("F06", "Z04", "Z10")
def test_a_ticket_approved_in_another_terminal_is_good_for_one_retry(
    project: Path, interlock: InterlockHome
) -> None:
    """Denied, approved after the real call was shown, passed, and denied again."""
    screens: list[str] = []

    def approve_and_retry() -> Blocks:
        screens.append(approve(interlock, "ap_1"))
        return DELETE

    turns: list[Turn] = [DELETE, approve_and_retry, REBUILD, DELETE, say("bye")]
    run = run_claude(project, interlock.home, turns)
    first, second, _, third = run.tool_results()

    assert "To allow it, ask the user to run `interlock approve ap_1`, then try again." in first
    assert "  | rm -r build" in screens[0]
    assert "deletes: build" in screens[0]
    assert "the agent says: scripted" in screens[0]
    assert "denied" not in second
    assert "`interlock approve ap_2`" in third
    assert (project / "build").exists()
    assert told(interlock, "approval") == [
        ("ap_1", "requested"),
        ("ap_1", "approved"),
        ("ap_1", "used"),
        ("ap_2", "requested"),
    ]


def test_a_session_grant_holds_for_that_call_and_no_other(project: Path, interlock: InterlockHome) -> None:
    """The same call passes as often as it is made; another delete is asked about."""

    def approve_and_retry() -> Blocks:
        approve(interlock, "ap_1", "--grant", "session")
        return DELETE

    other = bash("rm -rf build")
    turns: list[Turn] = [DELETE, approve_and_retry, REBUILD, DELETE, REBUILD, other, say("bye")]
    run = run_claude(project, interlock.home, turns)
    results = run.tool_results()

    assert "ap_1" in results[0]
    assert "denied" not in results[1] + results[3]
    assert "`interlock approve ap_2`" in results[5]
    assert (project / "build").exists()
    assert told(interlock, "grant") == [("gr_1", "granted"), ("gr_1", "used")]


@pytest.mark.req("Z02")
def test_the_client_cannot_approve_what_it_asked(project: Path, interlock: InterlockHome) -> None:
    """Neither by our command nor by a script that runs it: both are refused, and the folder stays."""
    (project / "agree.sh").write_text(
        f"export INTERLOCK_HOME={interlock.folder}\n{PROGRAM} approvals approve ap_1 --yes\n",
        encoding="utf-8",
    )
    by_name = bash(f"{PROGRAM} approvals approve ap_1 --yes")
    run = run_claude(project, interlock.home, [DELETE, by_name, bash("sh agree.sh"), DELETE, say("bye")])
    results = run.tool_results()

    assert "Only the user can run this" in results[1]
    assert "is for people" in results[2]
    assert "`interlock approve ap_1`" in results[3]
    assert (project / "build").exists()
    assert told(interlock, "approval") == [("ap_1", "requested")]
    assert [entry["command"] for entry in interlock.ledger() if "command" in entry] == ["approvals"]
