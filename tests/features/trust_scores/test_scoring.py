"""Scores in a real daemon: read beside the work, and shown by the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided, event, wait_for

pytestmark = pytest.mark.deep

GATE = 'version: "2.0"\nhooks:\n  pre_tool_use:\n    - type: trust_gate\n'


def failing(home: Home, project: Path, times: int) -> None:
    """An agent whose commands and turns all fail."""
    for number in range(times):
        home.call(event("UserPromptSubmit", cwd=str(project), prompt="go"))
        given = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_use_id": f"t{number}"}
        home.call(event("PostToolUseFailure", cwd=str(project), error="exit 1", **given))
        home.call(event("Stop", cwd=str(project), stop_hook_active=False))


@pytest.mark.req("M76", "M79")
def test_an_actor_that_only_fails_is_denied_here_and_nowhere_else(served: Home, tmp_path: Path) -> None:
    """The ledger is followed while the daemon works, and read anew after a restart."""
    project, other = tmp_path / "a", tmp_path / "b"
    for folder in (project, other):
        (folder / ".git").mkdir(parents=True)
    served.write_policy(GATE)
    assert decided(served.call(bash("ls", cwd=str(project)))) == (None, "")
    failing(served, project, 40)

    def denied() -> bool:
        return decided(served.call(bash("ls", cwd=str(project))))[0] == "deny"

    wait_for(denied, "the score falls")
    reason = decided(served.call(bash("ls", cwd=str(project))))[1]
    assert "trust in agent:main is 0." in reason
    assert "exit_code" in reason
    assert decided(served.call(bash("ls", cwd=str(other)))) == (None, "")
    served.end()
    served.start()
    wait_for(denied, "the ledger is read again")


@pytest.mark.req("M76")
def test_the_command_line_explains_a_score(served: Home, tmp_path: Path) -> None:
    """Each factor with its weight and the entries against it; the same as JSON; an unknown actor is said."""
    (tmp_path / ".git").mkdir()
    failing(served, tmp_path, 3)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = Path(sys.executable).with_name("interlock")
        env = {"PATH": os.defpath, "HOME": str(tmp_path), "INTERLOCK_HOME": str(served.folder)}
        return subprocess.run(
            [program, "trust-score", *words],
            cwd=tmp_path,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )

    wait_for(lambda: len(served.entries()) >= 9, "all is recorded")
    shown = run()
    assert shown.returncode == 0, shown.stderr
    assert "agent:main: 0." in shown.stdout
    assert "exit_code" in shown.stdout
    (document,) = json.loads(run("--actor", "agent:main", "--json").stdout)["scores"]
    assert sum(factor["weight"] for factor in document["factors"]) == pytest.approx(1.0)
    assert document["factors"][0]["against"]
    unknown = run("--actor", "agent:nobody")
    assert unknown.returncode == 2
    assert "nothing is recorded about `agent:nobody`" in unknown.stderr
