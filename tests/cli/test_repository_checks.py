"""The GitHub Action and the pre-commit hooks run the very commands they name."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parent.parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
_POLICY = """version: "2.0"
hooks:
  pre_tool_use:
    - {name: no-push, type: deny, matcher: "Bash(git push *)"}
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a policy and a case for it."""
    tests = tmp_path / ".interlock" / "tests"
    tests.mkdir(parents=True)
    (tmp_path / ".interlock" / "genesis.key").write_text(_POLICY, encoding="utf-8")
    (tests / "git.yaml").write_text("cases: [{tool: Bash, args: git push, expect: deny}]\n", encoding="utf-8")
    return tmp_path


def _failing(repository: Path) -> None:
    file = repository / ".interlock" / "tests" / "git.yaml"
    file.write_text("cases: [{tool: Bash, args: git status, expect: deny}]\n", encoding="utf-8")


def _run(command: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def _inputs(step: dict[str, Any], **given: str) -> dict[str, str]:
    """The environment of a step, its inputs put in as GitHub does."""
    values = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | given
    return {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
        for name, text in step.get("env", {}).items()
    }


def _step(word: str) -> dict[str, Any]:
    (found,) = [step for step in ACTION["runs"]["steps"] if word in step.get("run", "")]
    return dict(found)


def test_the_action_runs_the_tests_of_a_repository(repository: Path) -> None:
    """Its last step passes, fails with a failing case, and leaves a report."""
    step = _step("interlock test")
    script = [step["shell"], "-e", "-c", step["run"]]
    good = _run(script, repository, **_inputs(step))
    named = _run(script, repository, **_inputs(step, files=".interlock/tests/git.yaml .interlock/tests"))
    _failing(repository)
    bad = _run(script, repository, **_inputs(step))

    assert (good.returncode, named.returncode, bad.returncode) == (0, 0, 1), good.stderr
    assert "PASS .interlock/tests/git.yaml:1" in good.stdout
    assert (repository / "interlock-tests.xml").is_file()


def test_what_is_typed_into_the_action_is_never_run_as_a_script(repository: Path) -> None:
    """Inputs reach the shell by its environment only."""
    step = _step("interlock test")
    script = [step["shell"], "-e", "-c", step["run"]]
    hostile = _run(script, repository, **_inputs(step, files="$(touch ran) ; touch ran"))

    assert all("inputs." not in str(step.get("run", "")) for step in ACTION["runs"]["steps"])
    assert hostile.returncode == 2
    assert not (repository / "ran").exists()


def test_the_action_installs_from_its_own_folder() -> None:
    """Composite, a Python first, then this repository, then the tests."""
    steps = ACTION["runs"]["steps"]

    assert ACTION["runs"]["using"] == "composite"
    assert steps[0]["uses"].startswith("actions/setup-python@")
    assert '"$GITHUB_ACTION_PATH"' in _step("pip install")["run"]
    assert all(step.get("shell") for step in steps if "run" in step)


def _hook(name: str) -> dict[str, Any]:
    (found,) = [hook for hook in HOOKS if hook["id"] == name]
    return found


def test_the_pre_commit_hook_runs_the_tests_of_a_repository(repository: Path) -> None:
    """Its entry needs no files, passes, and fails with a failing case."""
    hook = _hook("interlock-test")
    good = _run(shlex.split(hook["entry"]), repository)
    _failing(repository)
    bad = _run(shlex.split(hook["entry"]), repository)

    assert hook["pass_filenames"] is False
    assert re.search(hook["files"], ".interlock/tests/git.yaml")
    assert (good.returncode, bad.returncode) == (0, 1), good.stderr


def test_the_pre_commit_lint_looks_at_the_files_it_is_given(repository: Path) -> None:
    """Its entry gets the policies that changed, both of them if need be."""
    hook = _hook("interlock-lint")
    files = [".interlock/genesis.key", ".interlock/hooks.toml"]
    (repository / files[1]).write_text("", encoding="utf-8")
    good = _run([*shlex.split(hook["entry"]), *files], repository)
    (repository / files[0]).write_text(_POLICY.replace("Bash(", "Bahs("), encoding="utf-8")
    bad = _run([*shlex.split(hook["entry"]), *files], repository)

    assert all(re.search(hook["files"], file) for file in files)
    assert (good.returncode, bad.returncode) == (0, 1), good.stderr
    assert "did you mean `Bash`?" in bad.stdout


def test_every_hook_says_how_it_is_installed() -> None:
    """Each is installed by pip from this repository."""
    assert {hook["language"] for hook in HOOKS} == {"python"}
    assert all(hook["entry"].startswith("interlock ") for hook in HOOKS)
