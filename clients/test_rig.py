"""The rig itself: the real client runs, really does damage, and really obeys the plainest hook."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.install import version
from clients.model_request import OUTSIDE
from clients.process_tree import end_tree, living_in
from clients.recording_hook import recording_hook, specific
from clients.turns import Fail, bash, say, use

MARKER = "SCOUT-7"


def test_a_scripted_command_really_runs(project: Path, home: Path) -> None:
    """The model's call makes a file, and its output goes back to the model."""
    run = run_claude(project, home, [bash("echo one > made.txt && echo two"), say("bye")])

    assert (run.exit_code, run.left) == (0, 0)
    assert (project / "made.txt").read_text("utf-8") == "one\n"
    assert run.tool_results() == ["two"]
    assert run.events[-1]["result"] == "bye"


def test_the_client_is_the_pinned_one_and_talks_to_nobody_else(project: Path, home: Path) -> None:
    """The session names the locked version, and no request left for another host."""
    run = run_claude(project, home, [say("bye")])

    assert run.events[0]["claude_code_version"] == version()
    assert run.conversation(OUTSIDE) == []


def test_what_is_meant_for_another_host_is_refused_and_noted(project: Path, home: Path) -> None:
    """A command of the agent that goes through the proxy reaches nothing."""
    fetch = "python3 -c 'import urllib.request as r; r.urlopen(\"http://example.invalid/x\")'"
    run = run_claude(project, home, [bash(fetch)])

    assert [seen.target for seen in run.conversation(OUTSIDE)] == ["http://example.invalid/x"]
    assert "403" in run.tool_results()[0]


def test_without_a_hook_a_recursive_delete_deletes(project: Path, home: Path) -> None:
    """The control of every test of a guard: the client alone does the damage."""
    run_claude(project, home, [bash("rm -r build")])

    assert not (project / "build").exists()


def test_a_hook_that_denies_keeps_the_folder(project: Path, home: Path) -> None:
    """The folder survives, and the model is told the reason word for word."""
    deny = specific("PreToolUse", permissionDecision="deny", permissionDecisionReason="builds are kept here")
    hook = recording_hook(home / "hook", [deny])
    run = run_claude(project, home, [bash("rm -r build")], settings=hook.settings("PreToolUse"))

    assert (project / "build" / "kept.txt").exists()
    assert run.tool_results() == ["builds are kept here"]


def test_a_hook_that_rewrites_decides_what_runs(project: Path, home: Path) -> None:
    """The rewritten command runs and the original does not."""
    rewrite = specific("PreToolUse", updatedInput={"command": "echo rewritten > made.txt"})
    hook = recording_hook(home / "hook", [rewrite])
    run_claude(project, home, [bash("rm -r build")], settings=hook.settings("PreToolUse"))

    assert (project / "build").exists()
    assert (project / "made.txt").read_text("utf-8") == "rewritten\n"


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_context_of_a_hook_reaches_the_model(project: Path, home: Path, event: str) -> None:
    """What a hook adds before the first turn is in the first request."""
    hook = recording_hook(home / "hook", [specific(event, additionalContext="the moon is full")])
    run = run_claude(project, home, [say("bye")], settings=hook.settings(event))

    assert "the moon is full" in run.conversation()[0].said()


def test_a_sub_agent_has_a_conversation_of_its_own(project: Path, home: Path) -> None:
    """Its call runs, is told apart by its agent id, and its turns are its own."""
    hook = recording_hook(home / "hook")
    ask = use("Agent", description="look", prompt=f"{MARKER} look around", subagent_type="general-purpose")
    run = run_claude(
        project,
        home,
        [ask, bash("echo main"), say("bye")],
        agents={MARKER: [bash("echo scouted > scouted.txt && echo found"), say("report")]},
        settings=hook.settings("PreToolUse"),
    )
    outer, inner, last = (noted.payload for noted in hook.noted())

    assert (project / "scouted.txt").exists()
    assert run.tool_results(MARKER) == ["found"]
    assert "report" in run.tool_results()[0]
    assert (outer["tool_name"], inner["tool_name"], last["tool_name"]) == ("Agent", "Bash", "Bash")
    assert inner["agent_type"] == "general-purpose"
    assert inner["agent_id"]
    assert "agent_id" not in outer
    assert "agent_id" not in last


def test_a_stop_hook_that_blocks_once_gives_one_more_turn(project: Path, home: Path) -> None:
    """The model is told why, goes on, and the second stop is said to follow a block."""
    hook = recording_hook(home / "hook", [{"decision": "block", "reason": "write the notes first"}])
    turns = [say("finished"), bash("echo notes > notes.txt"), say("bye")]
    run = run_claude(project, home, turns, settings=hook.settings("Stop"))

    assert (project / "notes.txt").exists()
    assert "write the notes first" in run.said()
    assert [noted.payload["stop_hook_active"] for noted in hook.noted()] == [False, True]


@pytest.mark.parametrize("inherited", [{}, {"CLAUDE_CODE_ENTRYPOINT": "cli"}])
def test_a_hook_learns_that_nobody_is_there(project: Path, home: Path, inherited: dict[str, str]) -> None:
    """Headless, the entry point is not the terminal's, even where the caller's environment says it is."""
    hook = recording_hook(home / "hook")
    run_claude(project, home, [bash("true")], settings=hook.settings("PreToolUse"), env=inherited)
    noted = hook.noted()[0]

    assert noted.env["CLAUDE_CODE_ENTRYPOINT"] == "sdk-cli"
    assert noted.env["CLAUDE_PROJECT_DIR"] == str(project)
    assert noted.payload["permission_mode"] == "bypassPermissions"


def test_a_hook_that_asks_headless_denies(project: Path, home: Path) -> None:
    """With nobody there the client itself turns an ask into a no, with the reason."""
    ask = specific("PreToolUse", permissionDecision="ask", permissionDecisionReason="a person agrees first")
    hook = recording_hook(home / "hook", [ask])
    run = run_claude(project, home, [bash("rm -r build")], settings=hook.settings("PreToolUse"))

    assert (project / "build").exists()
    assert run.tool_results() == ["a person agrees first"]


def test_an_error_of_the_model_is_retried_with_the_next_turn(project: Path, home: Path) -> None:
    """An overloaded model uses up one turn, and the session goes on."""
    overloaded = Fail(status=529, kind="overloaded_error", message="try again")
    run = run_claude(project, home, [overloaded, bash("echo again > made.txt")])

    assert run.exit_code == 0
    assert (project / "made.txt").exists()


def test_a_session_that_hangs_is_ended_with_all_it_started(project: Path, home: Path) -> None:
    """When its time is over nothing lives on in the project, whatever group it was in."""
    with pytest.raises(subprocess.TimeoutExpired):
        run_claude(project, home, [bash("sleep 300")], seconds=4)

    assert living_in(project) == []


def test_what_a_turn_of_the_test_raises_fails_the_test(project: Path, home: Path) -> None:
    """A turn is called while the client waits; its mistake is not swallowed."""

    def wrong() -> tuple[()]:
        raise LookupError("nothing there")

    with pytest.raises(LookupError, match="nothing there"):
        run_claude(project, home, [wrong])


def test_a_process_is_ended_with_what_left_its_group(project: Path) -> None:
    """A child in a session of its own is found by its parent and ended too."""
    script = "setsid sh -c 'echo started; exec sleep 300' & wait"
    with subprocess.Popen(
        ["/bin/sh", "-c", script], cwd=project, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        before = living_in(project)
        end_tree(process.pid)

    assert len(before) == 2
    assert living_in(project) == []
