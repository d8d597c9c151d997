"""The launcher that a project checks in."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from interlock.hosts.claude_code.installing import launcher_text


def run(folder: Path, payload: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the launcher as the client does."""
    launcher = folder / "interlock-launcher"
    launcher.write_bytes(launcher_text())
    launcher.chmod(0o755)
    return subprocess.run(
        [launcher, "claude-code"], input=payload, capture_output=True, text=True, env=environment, check=False
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


def test_a_relative_data_folder_is_not_looked_into(tmp_path: Path) -> None:
    """It would lie in whichever project the agent is in."""
    shim(tmp_path / "data", "#!/bin/sh\nexit 0\n")

    done = run(tmp_path, event("PreToolUse"), HOME=str(tmp_path), XDG_DATA_HOME="data", PATH="/usr/bin:/bin")

    assert done.returncode == 2
