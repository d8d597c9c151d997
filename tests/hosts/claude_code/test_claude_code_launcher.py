"""The launcher that a project checks in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from interlock.hosts.claude_code.install import launcher_text

pytestmark = pytest.mark.deep


def run(folder: Path, payload: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the launcher as the client does."""
    launcher = folder / "interlock-launcher"
    launcher.write_bytes(launcher_text())
    launcher.chmod(0o755)
    return subprocess.run(
        [launcher, "claude-code"],
        input=payload,
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=False,
    )


def event(name: str) -> str:
    """An event as the client writes it."""
    return f'{{"session_id":"s","hook_event_name":"{name}","tool_input":{{"hook_event_name":"Stop"}}}}\n'


def shim(folder: Path, text: str) -> Path:
    """A program in the place of the shim."""
    program = folder / "interlock" / "bin" / "interlock-hook"
    program.parent.mkdir(parents=True)
    program.write_text(text)
    program.chmod(0o755)
    return program


def test_it_runs_the_shim_of_whoever_works_here(tmp_path: Path) -> None:
    """Arguments and input go through, and the answer comes back."""
    shim(tmp_path / ".local" / "share", '#!/bin/sh\necho "$@"\ncat\nexit 7\n')

    done = run(tmp_path, "the event", HOME=str(tmp_path))

    assert (done.returncode, done.stdout) == (7, "claude-code\nthe event")


@pytest.mark.req("T11")
@pytest.mark.parametrize(
    ("name", "code"),
    [("PreToolUse", 2), ("SessionStart", 2), ("Stop", 0), ("PostToolUse", 0), ("UserPromptSubmit", 0)],
)
def test_without_interlock_calls_are_refused_and_nothing_else(tmp_path: Path, name: str, code: int) -> None:
    """A tool call is denied and a session told; a stop that was refused would go round in circles."""
    done = run(tmp_path, event(name), HOME=str(tmp_path), PATH="/usr/bin:/bin")

    assert done.returncode == code
    assert ("interlock install claude-code" in done.stderr) is bool(code)


def test_input_nobody_understands_is_refused(tmp_path: Path) -> None:
    """Without the name of an event it could be a tool call."""
    assert run(tmp_path, '{"hook_event_name": 1}', HOME=str(tmp_path), PATH="/usr/bin:/bin").returncode == 2


def test_a_shim_that_cannot_be_run_refuses(tmp_path: Path) -> None:
    """A broken program is a refusal, not the code that lets the call pass."""
    shim(tmp_path / ".local" / "share", "#!/nonexistent/interpreter\n")

    assert run(tmp_path, event("PreToolUse"), HOME=str(tmp_path), PATH="/usr/bin:/bin").returncode == 2


@pytest.mark.parametrize("data", ["{project}/data", "{project}/link/../data", "/proc/self/cwd/data"])
def test_a_shim_of_the_project_is_not_run(tmp_path: Path, data: str) -> None:
    """A project can set variables for its sessions; the next place is looked into."""
    project = tmp_path / "project"
    shim(project / "data", "#!/bin/sh\nexit 0\n")
    shim(tmp_path / ".local" / "share", "#!/bin/sh\nexit 7\n")
    (project / "link").symlink_to(project / "data")

    named = data.format(project=project)
    done = run(project, "", HOME=str(tmp_path), XDG_DATA_HOME=named, CLAUDE_PROJECT_DIR=str(project))

    assert done.returncode == 7


def test_programs_of_the_project_are_not_asked(tmp_path: Path) -> None:
    """What the launcher itself runs is found where the system keeps it."""
    program = tmp_path / "cat"
    program.write_text('#!/bin/sh\necho \'"hook_event_name":"Stop"\'\n')
    program.chmod(0o755)

    assert run(tmp_path, event("PreToolUse"), HOME=str(tmp_path), PATH=str(tmp_path)).returncode == 2


@pytest.mark.parametrize("project", [".", "/", "gone", None])
def test_where_the_agent_works_changes_nothing_else(tmp_path: Path, project: str | None) -> None:
    """Below the data folder, at the root of the disk, in a folder that is gone, or unknown."""
    program = shim(tmp_path / ".local" / "share", "#!/bin/sh\nexit 7\n")
    where = {} if project is None else {"CLAUDE_PROJECT_DIR": str(program.parent.parent / "work" / project)}
    if project == "/":
        where = {"CLAUDE_PROJECT_DIR": "/"}

    assert run(tmp_path, "", HOME=str(tmp_path), **where).returncode == 7


def test_a_relative_data_folder_is_not_looked_into(tmp_path: Path) -> None:
    """It would lie in whichever project the agent is in."""
    shim(tmp_path / "data", "#!/bin/sh\nexit 0\n")

    done = run(tmp_path, event("PreToolUse"), HOME=str(tmp_path), XDG_DATA_HOME="data", PATH="/usr/bin:/bin")

    assert done.returncode == 2
