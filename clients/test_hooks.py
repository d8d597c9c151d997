"""Acceptance: the built-in hooks with the real client, each seen to do what it is there for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome, of_event
from clients.turns import bash, say


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


@pytest.mark.req("P19", "P21")
def test_redirect_runs_the_projects_own_command(project: Path, interlock: InterlockHome) -> None:
    """The client runs `make test` where the model wrote `pytest`, and the model is told."""
    (project / "Makefile").write_text("test:\n\t@echo ran-by-make $(ARGS) pytest\n")
    interlock.policy(hooks={"pre_tool_use": [{"type": "redirect"}]})
    run = run_claude(project, interlock.home, [bash("pytest"), bash("pytest -k x"), say("bye")])

    assert "ran-by-make pytest" in run.tool_results()[0]
    assert "ran-by-make -k x pytest" in run.tool_results()[1]
    assert "`pytest` was run as `make test`" in run.said()
    first, _ = of_event(interlock.ledger(), "PreToolUse")
    assert first["updated_input"]["command"] == "make test"


@pytest.mark.req("P23", "P27", "X38")
def test_nudge_and_local_context_reach_the_model(project: Path, interlock: InterlockHome) -> None:
    """Both are context beside the prompt, not only a message for the person."""
    (project / "LOCAL.md").write_text("the database runs on port 5433\n")
    interlock.policy(settings={"packs": ["prompts"]})
    run = run_claude(project, interlock.home, [say("bye")], prompt="improve the error handling")

    assert "Invoke @improve." in run.said()
    assert "the database runs on port 5433" in run.said()


@pytest.mark.req("P29")
def test_a_summary_is_told_what_to_keep(project: Path, interlock: InterlockHome) -> None:
    """The client asks the model for a summary with our text among its instructions."""
    (project / "LOCAL.md").write_text("the database runs on port 5433\n")
    interlock.policy(settings={"packs": ["prompts"]})
    session = "11111111-2222-4333-8444-666666666666"
    for flag in ("--session-id", "--resume", "--resume"):  # the client sums up nothing that is short
        run_claude(project, interlock.home, [bash("ls"), say("hello")], extra_args=[flag, session])
    run = run_claude(
        project, interlock.home, [say("a summary")], prompt="/compact", extra_args=["--resume", session]
    )
    asked = "\n".join(request.said() for request in run.requests)

    assert "Keep this through the summary:" in asked
    assert "the database runs on port 5433" in asked
