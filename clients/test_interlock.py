"""Acceptance: the real client with Interlock installed in it, as a person installs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome, answering, denying, of_event
from clients.turns import Blocks, Turn, bash, say, use

MARKER = "SCOUT-7"
REASON = "builds are kept here"
NO_DELETE = {"pre_tool_use": [denying("Bash(rm -r *)", REASON)]}
ASKING = {"pre_tool_use": [answering({"decision": "ask", "reason": "a person agrees first"}, "Bash(rm *)")]}


@pytest.fixture
def interlock(home: Path) -> Iterator[InterlockHome]:
    """Interlock installed for the user of this home; its daemon ends with the test."""
    installed = InterlockHome(home=home)
    installed.policy()
    try:
        installed.install()
        yield installed
    finally:
        installed.end()


@pytest.mark.req("T11")
def test_without_a_rule_the_delete_happens(project: Path, interlock: InterlockHome) -> None:
    """The control: installed, with nothing forbidden, the folder goes and the call is recorded."""
    interlock.policy()
    run = run_claude(project, interlock.home, [bash("rm -r build"), say("bye")])

    assert run.exit_code == 0
    assert not (project / "build").exists()
    assert [entry["decision"] for entry in of_event(interlock.ledger(), "PreToolUse")] == ["allow"]


@pytest.mark.req("F01")
def test_a_denied_delete_keeps_the_folder(project: Path, interlock: InterlockHome) -> None:
    """The folder survives, the model reads why, the ledger has it."""
    interlock.policy(hooks=NO_DELETE)
    run = run_claude(project, interlock.home, [bash("rm -r build"), say("bye")])

    assert (project / "build" / "kept.txt").exists()
    assert run.tool_results() == [f"Tool denied: {REASON}"]
    assert run.left == 0
    assert [entry["decision"] for entry in of_event(interlock.ledger(), "PreToolUse")] == ["deny"]


def test_a_rewritten_command_is_what_runs(project: Path, interlock: InterlockHome) -> None:
    """The model's command does not run; the policy's does, with the model's other fields."""
    change = {"replace": [{"field": "command", "pattern": "^rm -r build$", "with": "echo kept > made.txt"}]}
    rewrite = {"name": "rewrite", "type": "modify", "matcher": "Bash", "config": change}
    interlock.policy(hooks={"pre_tool_use": [rewrite]})
    run_claude(project, interlock.home, [bash("rm -r build"), say("bye")])

    assert (project / "build").exists()
    assert (project / "made.txt").read_text("utf-8") == "kept\n"


@pytest.mark.parametrize(
    ("section", "event"), [("session_start", "SessionStart"), ("user_prompt_submit", "UserPromptSubmit")]
)
def test_context_reaches_the_model_before_its_first_turn(
    project: Path, interlock: InterlockHome, section: str, event: str
) -> None:
    """What a hook adds is in the first request."""
    added = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "the moon is full"}}
    interlock.policy(hooks={section: [answering(added)]})
    run = run_claude(project, interlock.home, [say("bye")])

    assert "the moon is full" in run.conversation()[0].said()


def test_context_after_a_tool_reaches_the_model(project: Path, interlock: InterlockHome) -> None:
    """What a hook says of a finished call is in the request after it, beside the tool's own result."""
    added = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "run the tests"}}
    interlock.policy(hooks={"post_tool_use": [answering(added, "Bash")]})
    run = run_claude(project, interlock.home, [bash("echo out"), say("bye")])

    assert run.tool_results()[0].startswith("out")
    assert "run the tests" not in run.conversation()[0].said()
    assert "run the tests" in run.conversation()[1].said()


@pytest.mark.req("F05")
def test_a_stop_is_blocked_once_and_then_let_be(project: Path, interlock: InterlockHome) -> None:
    """A hook that would block for ever gets one more turn out of the agent, and no second."""
    interlock.policy(hooks={"stop": [answering({"decision": "block", "reason": "write the notes first"})]})
    run = run_claude(project, interlock.home, [say("one"), say("two"), say("three")])

    assert run.exit_code == 0
    assert "write the notes first" in run.said()
    assert run.left == 1
    assert run.events[-1]["result"] == "two"


@pytest.mark.req("Z12")
def test_a_sub_agent_is_judged_as_its_own_actor(project: Path, interlock: InterlockHome) -> None:
    """The scout may make files and its parent may not: neither borrows the other's permissions."""
    interlock.policy(
        settings={"actors": {"subagents": {"Explore": "agent:scout"}}},
        permissions={
            "actors": {
                "agent:main": {"allow": ["Bash(ls *)", "Task(Explore)"]},
                "agent:scout": {"allow": ["Bash(touch *)"]},
            }
        },
    )
    ask = use("Agent", description="look", prompt=f"{MARKER} look around", subagent_type="Explore")
    scout = [bash("touch by-scout.txt"), bash("ls build"), say("report")]
    run = run_claude(
        project, interlock.home, [ask, bash("touch by-main.txt"), bash("ls build")], agents={MARKER: scout}
    )
    calls = [entry for entry in of_event(interlock.ledger(), "PreToolUse") if entry["tool"] == "Bash"]

    assert (project / "by-scout.txt").exists()
    assert not (project / "by-main.txt").exists()
    assert "agent:scout" in run.tool_results(MARKER)[1]
    assert "agent:main" in run.tool_results()[1]
    assert [(entry["actor"], entry["decision"]) for entry in calls] == [
        ("agent:scout", "allow"),
        ("agent:scout", "deny"),
        ("agent:main", "deny"),
        ("agent:main", "allow"),
    ]


@pytest.mark.req("F06", "Z04")
def test_a_question_nobody_can_answer_becomes_a_ticket(project: Path, interlock: InterlockHome) -> None:
    """Headless the call is denied with a ticket; approved, the same call passes, once."""
    interlock.policy(hooks=ASKING)
    approved: list[int] = []

    def approve_and_retry() -> Blocks:
        approved.append(interlock.approve_pending())
        return bash("rm -r build")

    rebuild = bash("mkdir build && touch build/kept.txt")
    turns: list[Turn] = [bash("rm -r build"), approve_and_retry, rebuild, bash("rm -r build"), say("bye")]
    run = run_claude(project, interlock.home, turns)
    first, second, _, third = run.tool_results()

    assert "ap_1" in first
    assert "then try again" in first
    assert approved == [1]
    assert "denied" not in second
    assert "ap_2" in third
    assert (project / "build").exists()
    assert [row["state"] for row in interlock.approvals()] == ["used", "pending"]


@pytest.mark.req("F06")
def test_a_ticket_nobody_approves_keeps_its_call_from_running(
    project: Path, interlock: InterlockHome
) -> None:
    """The control of the ticket: retrying alone changes nothing and asks for nothing more."""
    interlock.policy(hooks=ASKING)
    run_claude(project, interlock.home, [bash("rm -r build"), bash("rm -r build"), say("bye")])

    assert (project / "build").exists()
    assert [row["state"] for row in interlock.approvals()] == ["pending"]


@pytest.mark.req("D12")
def test_a_killed_daemon_is_followed_by_another(project: Path, interlock: InterlockHome) -> None:
    """Killed in mid-session, the next call is judged by the policy, not merely refused."""
    interlock.policy(hooks=NO_DELETE)
    killed: list[int] = []

    def kill_and_call() -> Blocks:
        killed.append(interlock.kill_daemon())
        return bash("rm -r build")

    turns: list[Turn] = [bash("echo before"), kill_and_call, bash("echo after"), say("bye")]
    run = run_claude(project, interlock.home, turns)

    assert run.tool_results() == ["before", f"Tool denied: {REASON}", "after"]
    assert (project / "build").exists()
    assert interlock.daemon_pid() not in killed
    interlock.call("ledger", "verify")


@pytest.mark.req("F01", "D12")
def test_a_daemon_that_cannot_start_denies_and_says_what_to_do(
    project: Path, interlock: InterlockHome
) -> None:
    """No call runs, and the model reads the next step; prompts and the end of the turn still pass."""
    interlock.break_start()
    run = run_claude(project, interlock.home, [bash("rm -r build"), say("bye")])

    assert run.exit_code == 0
    assert (project / "build").exists()
    told = run.tool_results()[0]
    assert "run `interlock daemon status`" in told
    assert "pause" not in told  # which is for people
    assert run.events[-1]["result"] == "bye"


@pytest.mark.req("T11")
def test_the_doctor_misses_a_shim_that_is_gone(interlock: InterlockHome) -> None:
    """Healthy right after installing; with the shim removed it fails and names the file."""
    healthy, _ = interlock.doctor()
    shim = interlock.shim()
    shim.unlink()
    code, report = interlock.doctor()

    assert healthy == 0
    assert code != 0
    assert str(shim) in report


@pytest.mark.req("T11")
def test_without_the_shim_the_client_goes_on_unguarded(project: Path, interlock: InterlockHome) -> None:
    """Why the doctor matters: the host takes a missing program for a hook that has no objection."""
    interlock.policy(hooks=NO_DELETE)
    interlock.shim().unlink()
    run_claude(project, interlock.home, [bash("rm -r build"), say("bye")])

    assert not (project / "build").exists()


def test_a_client_version_nobody_has_seen_is_tried_out_once(project: Path, interlock: InterlockHome) -> None:
    """The first session of a version runs the self-test through the installed shim; the second does not."""
    interlock.policy()
    for _ in range(2):
        run_claude(project, interlock.home, [say("bye")])

    tried = [entry for entry in interlock.ledger() if entry["op"] == "self_test"]
    assert [(entry["host"], entry["result"]) for entry in tried] == [("claude-code", "ok")]
    assert tried[0]["version"].count(".") == 2


def test_an_ordinary_session_is_carried_out_as_decided(project: Path, interlock: InterlockHome) -> None:
    """What the client reports after a call is what was decided before it, changed or not."""
    change = {"replace": [{"field": "command", "pattern": "^echo one$", "with": "echo two"}]}
    rewrite = {"name": "rewrite", "type": "modify", "matcher": "Bash", "config": change}
    interlock.policy(hooks={"pre_tool_use": [rewrite]})
    run_claude(project, interlock.home, [bash("echo one"), bash("ls"), say("bye")])

    assert len(of_event(interlock.ledger(), "PostToolUse")) == 2
    assert [entry for entry in interlock.ledger() if entry["op"] == "overridden"] == []
