"""Acceptance: gates with the real client, from the worked trace to a push that waits for an approval."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome, of_event
from clients.turns import Blocks, Turn, bash, say, use

ME = f"human:{pwd.getpwuid(os.getuid()).pw_name}"
SAMPLE = Path(__file__).parent.parent / "tests" / "samples" / "mentu-genesis.key"


@pytest.fixture
def interlock(home: Path) -> Iterator[InterlockHome]:
    """Interlock installed for the user of this home; each test writes the policy."""
    installed = InterlockHome(home=home)
    try:
        installed.policy()
        installed.install()
        yield installed
    finally:
        installed.end()


def git(project: Path, *words: str) -> None:
    """Work on the repository as a person does."""
    subprocess.run(["git", "-C", str(project), *words], check=True, capture_output=True)


def repository(project: Path) -> None:
    """Make the project a repository with something to commit."""
    git(project, "init", "-q")
    git(project, "config", "user.email", "t@example.org")
    git(project, "config", "user.name", "t")
    (project / "new.txt").write_text("x\n")


@pytest.mark.req("M20", "M84")
def test_the_worked_trace_holds_with_the_real_client(project: Path, interlock: InterlockHome) -> None:
    """A commit of the executor is allowed by its list, skips the deny hook, runs, and leaves evidence."""
    repository(project)
    target = interlock.folder / "config" / "genesis.key"
    target.write_text(SAMPLE.read_text() + "settings:\n  actors: {main: agent:executor}\n")
    turns: list[Turn] = [bash("git add new.txt && git commit -qm 'fix'"), bash("rm -rf build"), say("bye")]
    run = run_claude(project, interlock.home, turns)
    ledger = interlock.ledger()
    commit, delete = of_event(ledger, "PreToolUse")

    assert "denied" not in run.tool_results()[0]
    assert "Bash(rm -rf *)" in run.tool_results()[1]
    assert (project / "build").exists()
    (row,) = commit["trace"]
    assert (commit["actor"], row["type"], row["vote"]) == ("agent:executor", "genesis_enforcement", "allow")
    assert "Bash(git *)" in row["reason"]
    assert commit["skipped"] == ["pre_tool_use[1]:deny", "pre_tool_use[2]:deny"]
    assert delete["decision"] == "deny"
    (evidence,) = [entry for entry in ledger if entry["op"] == "evidence"]
    assert (evidence["kind"], evidence["tool"]) == ("command_execution", "Bash")
    assert evidence["hook"] == "post_tool_use[1]:evidence_capture"


@pytest.mark.req("M49")
def test_a_contract_keeps_a_real_session_going_until_the_file_exists(
    project: Path, interlock: InterlockHome
) -> None:
    """Sent back twice with what is missing; once the file is there and the check passes the turn ends."""
    interlock.policy(hooks={"stop": [{"type": "completion"}]})
    (project / ".interlock").mkdir()
    (project / ".interlock" / "genesis.key").write_text('version: "2.0"\n')
    interlock.call("trust", str(project), "--yes")
    (project / ".claude").mkdir()
    contract = {
        "version": "2.0",
        "name": "the file",
        "required_files": ["done.txt"],
        "checks": {"full": "grep -q all done.txt"},
        "max_iterations": 50,
    }
    (project / ".claude" / "completion.json").write_text(json.dumps(contract))
    write = use("Write", file_path=str(project / "done.txt"), content="some\n")
    turns: list[Turn] = [
        say("I am done."),
        write,
        say("Now I am done."),
        bash("echo all >> done.txt"),
        say("At last."),
        say("never asked for"),
    ]
    run = run_claude(project, interlock.home, turns)
    stops = of_event(interlock.ledger(), "Stop")

    assert run.exit_code == 0
    assert run.left == 1
    assert (project / "done.txt").read_text() == "some\nall\n"
    assert [entry["decision"] for entry in stops] == ["deny", "deny", "allow"]
    assert "1. missing file: done.txt" in stops[0]["reason"]
    assert "check `full` failed" in stops[1]["reason"]
    assert "missing file: done.txt" in run.said()


@pytest.mark.req("M49")
@pytest.mark.parametrize(("loops", "rounds"), [(None, 7), (12, 10)])
def test_a_turn_is_sent_back_within_the_clients_cap(
    project: Path, interlock: InterlockHome, loops: int | None, rounds: int
) -> None:
    """Seven times, so that the client never overrides us; with `--loops`, as often as the contract says."""
    contract = {"required_files": ["never"], "max_iterations": 10}
    interlock.policy(hooks={"stop": [{"type": "completion", "config": {"contract": contract}}]})
    if loops:
        interlock.call("install", "claude-code", "--loops", str(loops))
    run = run_claude(project, interlock.home, [say(f"done {number}") for number in range(12)])
    stops = of_event(interlock.ledger(), "Stop")

    assert run.exit_code == 0
    assert [entry["decision"] for entry in stops] == ["deny"] * rounds + ["allow"]
    assert run.left == 12 - rounds - 1


@pytest.mark.req("M19")
def test_a_push_waits_for_the_approval_of_the_work(project: Path, interlock: InterlockHome) -> None:
    """Denied before the turn ended and before anybody said yes; the session after the yes may push."""
    repository(project)
    git(project, "init", "-q", "--bare", f"{project}.git")
    git(project, "remote", "add", "origin", f"{project}.git")
    git(project, "add", "new.txt")
    git(project, "commit", "-qm", "one")
    gate = {"type": "approval_gate", "config": {"approvers": [ME]}}
    interlock.policy(hooks={"stop": [gate]})
    push = bash("git push -q origin HEAD:main")
    session = "11111111-2222-4333-8444-555555555555"
    first = run_claude(project, interlock.home, [push, say("bye")], extra_args=["--session-id", session])
    again: list[Turn] = [push, say("bye")]
    waiting = run_claude(project, interlock.home, again, extra_args=["--resume", session])
    pushed = Path(f"{project}.git", "refs", "heads", "main")

    assert "End your turn to ask for it" in first.tool_results()[0]
    # By the record: a resumed session of the script reuses the ids of its calls.
    assert waiting.exit_code == 0
    assert (
        f"Ask {ME} to run `interlock approve ap_1`"
        in of_event(interlock.ledger(), "PreToolUse")[-1]["reason"]
    )
    assert not pushed.exists()

    def approve_and_push() -> Blocks:
        interlock.call("approvals", "approve", "ap_1", "--yes")
        return push

    passed = run_claude(
        project, interlock.home, [approve_and_push, say("bye")], extra_args=["--resume", session]
    )
    assert passed.exit_code == 0
    assert pushed.exists()
    states = [entry["state"] for entry in interlock.ledger() if entry["op"] == "approval"]
    assert states == ["requested", "approved"]


@pytest.mark.req("M19")
def test_a_refusal_and_a_change_after_the_yes_reach_the_real_client(
    project: Path, interlock: InterlockHome
) -> None:
    """The note stands beside the next prompt, at the call, and at the turn's end; a stale yes says so."""
    repository(project)
    git(project, "init", "-q", "--bare", f"{project}.git")
    git(project, "remote", "add", "origin", f"{project}.git")
    git(project, "add", ".")
    git(project, "commit", "-qm", "one")
    interlock.policy(hooks={"stop": [{"type": "approval_gate", "config": {"approvers": [ME]}}]})
    push = bash("git push -q origin HEAD:main")
    session = "11111111-2222-4333-8444-555555555556"
    resumed = ("--resume", session)

    def answered(*words: str, then: Blocks) -> Turn:
        def answer() -> Blocks:
            interlock.call("approvals", *words)
            return then

        return answer

    run_claude(project, interlock.home, [say("done")], extra_args=["--session-id", session])
    interlock.call("approvals", "deny", "ap_1", "--note", "no tests yet")
    told = run_claude(project, interlock.home, [push, say("bye")], extra_args=resumed)
    assert "no tests yet" in told.requests[0].said()
    assert f"{ME} denied ap_1" in of_event(interlock.ledger(), "PreToolUse")[-1]["reason"]
    assert "no tests yet" in of_event(interlock.ledger(), "PreToolUse")[-1]["reason"]

    late = answered("deny", "ap_2", "--note", "still none", then=say("done"))
    sent_back = run_claude(project, interlock.home, [late, say("I see")], extra_args=resumed)
    assert sent_back.left == 0
    assert "still none" in sent_back.said()

    yes = answered("approve", "ap_3", "--yes", then=bash("echo y >> new.txt"))
    commit = bash("git commit -qam two && echo done")
    run = run_claude(project, interlock.home, [yes, commit, push, say("bye")], extra_args=resumed)
    reason = of_event(interlock.ledger(), "PreToolUse")[-1]["reason"]
    assert run.exit_code == 0
    assert (
        f"(new.txt changed since {ME} approved it (ap_3)). Ask {ME} to run `interlock approve ap_4`" in reason
    )
    assert not Path(f"{project}.git", "refs", "heads", "main").exists()
    again = answered("approve", "ap_4", "--yes", then=push)
    run_claude(project, interlock.home, [again, say("bye")], extra_args=resumed)
    assert Path(f"{project}.git", "refs", "heads", "main").exists()
