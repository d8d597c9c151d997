"""Acceptance: a project that checked Interlock in, for somebody who has it and somebody who has not."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from clients.claude_code import run_claude
from clients.interlock_home import PROGRAM
from clients.turns import bash, say

POLICY = (
    'version: "2.0"\nhooks: {pre_tool_use: [{type: deny, matcher: "Bash(rm *)", config: {reason: kept}}]}\n'
)


def typed(home: Path, cwd: Path, *arguments: str) -> None:
    """Type a command as the owner of this home, who has set nothing but a short place for sockets."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    env = {"PATH": os.defpath, "HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run")}
    subprocess.run([PROGRAM, *arguments], cwd=cwd, env=env, check=True, capture_output=True, timeout=60)


@pytest.mark.req("T11")
def test_without_interlock_a_tool_call_is_refused_and_the_turn_can_end(project: Path, home: Path) -> None:
    """The model reads what to install, the folder stays, and nothing goes round in circles."""
    owner = home / "owner"
    owner.mkdir()
    typed(owner, project, "install", "claude-code", "--scope", "project")

    run = run_claude(project, home, [bash("rm -r build"), say("bye")])

    assert (project / "build" / "kept.txt").exists()
    assert "interlock install claude-code" in run.tool_results()[0]
    assert (run.exit_code, run.left) == (0, 0)


@pytest.mark.req("T09")
def test_with_interlock_the_launcher_runs_the_persons_own(project: Path, home: Path) -> None:
    """The client fills in the project's folder, and the person's policy decides."""
    config = home / ".config" / "interlock"
    config.mkdir(parents=True)
    (config / "genesis.key").write_text(POLICY, encoding="utf-8")
    typed(home, project, "install", "claude-code", "--scope", "project")
    try:
        run = run_claude(project, home, [bash("rm -r build"), say("bye")])
    finally:
        typed(home, project, "daemon", "stop")

    assert run.tool_results() == ["Tool denied: kept"]
    assert (project / "build" / "kept.txt").exists()
