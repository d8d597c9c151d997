"""Acceptance: schema guard, promise and artifacts with the real client, each beside a run without it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome, of_event
from clients.turns import JsonObject, bash, say, use

MARK = "SUB-MARK"
NOTES: JsonObject = {
    "required": ["file_path", "content"],
    "min_length": {"content": 10},
    "example": {"file_path": "notes.md", "content": "# Notes, all of them"},
}


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


@pytest.mark.req("U6", "U13")
def test_a_call_that_lacks_content_is_stopped_and_the_next_one_runs(
    project: Path, interlock: InterlockHome
) -> None:
    """The model hears what is missing and sees a call that fits; without the hook the file is written."""
    file = project / "notes.md"
    turns = [use("Write", file_path=str(file), content="x"), say("bye")]
    run_claude(project, interlock.home, turns)
    assert file.read_text() == "x"
    file.unlink()

    interlock.policy(
        hooks={"pre_tool_use": [{"type": "schema_guard", "config": {"tools": {"Write": NOTES}}}]}
    )
    whole = use("Write", file_path=str(file), content="# Notes, all of them")
    run = run_claude(project, interlock.home, [turns[0], whole, say("bye")])
    denied, done = run.tool_results()

    assert "Missing required fields: content_too_short(min:10)" in denied
    assert '"content":"# Notes, all of them"' in denied
    assert "notes.md" in done
    assert file.read_text() == "# Notes, all of them"


@pytest.mark.req("U7", "U13")
def test_a_call_the_client_itself_refuses_brings_a_call_that_fits(
    project: Path, interlock: InterlockHome
) -> None:
    """The client asks no hook before it; the hint comes with the batch of the answer."""
    tools = {"Read": {"required": ["file_path"], "example": {"file_path": "/a/notes.md"}}}
    interlock.policy(hooks={"post_tool_use": [{"type": "schema_hint", "config": {"tools": tools}}]})
    interlock.install()  # the batch is an event that is only asked for by policies that need it
    run = run_claude(project, interlock.home, [use("Read", path="notes.md"), say("bye")])

    assert "InputValidationError" in run.tool_results()[0]
    assert 'Missing required fields: file_path. Example: {"file_path":"/a/notes.md"}' in run.said()


@pytest.mark.req("U11", "U33")
def test_a_turn_goes_on_until_the_promise_is_kept(project: Path, interlock: InterlockHome) -> None:
    """Sent back twice, then it may end; without the hook it ends at once."""
    turns = [
        say("half"),
        bash("touch more"),
        say("nearly"),
        say("<promise> ALL\nDONE </promise>"),
        say("late"),
    ]
    alone = run_claude(project, interlock.home, turns, prompt="write it")
    assert alone.left == 4

    config = {"always": True, "promise": "ALL DONE", "max_iterations": 5}
    interlock.policy(hooks={"stop": [{"type": "promise", "config": config}]})
    run = run_claude(project, interlock.home, turns, prompt="write it")

    assert run.left == 1
    assert "end your answer with <promise>ALL DONE</promise>" in run.conversation()[0].said()
    assert (
        "Stop hook feedback:\nStop blocked: The task is not done yet (iteration 1 of 5). write it"
        in run.said()
    )
    assert "iteration 2 of 5" in run.said()
    assert (project / "more").exists()
    assert len(of_event(interlock.ledger(), "Stop")) == 4


@pytest.mark.req("U33")
def test_a_promise_that_is_never_kept_ends_after_the_most_iterations(
    project: Path, interlock: InterlockHome
) -> None:
    """The person is told."""
    config = {"always": True, "max_iterations": 2}
    interlock.policy(hooks={"stop": [{"type": "promise", "config": config}]})
    run = run_claude(project, interlock.home, [say(f"no {n}") for n in range(6)], prompt="write it")

    assert run.left == 3
    assert "not given after 2 of 2 iterations" in str(run.hook_responses("Stop")[-1])


@pytest.mark.req("U10", "U32")
def test_a_sub_agent_ends_with_its_report_and_the_main_agent_hears_of_it(
    project: Path, interlock: InterlockHome
) -> None:
    """Sent back once, it writes what was missing; the main agent is told of it with the next step."""
    expect = {"files": ["work_products/*.html"], "next": "Send it to the person."}
    interlock.policy(hooks={"subagent_stop": [{"type": "artifacts", "config": {"expect": [expect]}}]})
    report = f"mkdir -p {project}/work_products && echo '<html>all</html>' > {project}/work_products/r.html"
    task = use(
        "Agent",
        description="report",
        prompt=f"{MARK} write the report",
        subagent_type="general-purpose",
        run_in_background=False,
    )
    run = run_claude(
        project,
        interlock.home,
        [task, bash("true"), say("bye")],
        agents={MARK: [say("I am done."), bash(report), say("Now I am.")]},
    )

    assert "Your work is not done: there is no `work_products/*.html`" in run.said(MARK)
    assert "Report found: `work_products/r.html` (general-purpose). Send it to the person." in run.said()
