"""The wheel alone, in an environment with nothing of this repository in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAYLOAD = {
    "session_id": "s",
    "transcript_path": "/t",
    "hook_event_name": "PreToolUse",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": "cd src && git push -f origin main"},
    "tool_use_id": "toolu_1",
}


def run(*command: str | Path, env: dict[str, str] | None = None, data: bytes | None = None) -> str:
    """Run a program that must succeed, and give what it prints."""
    done = subprocess.run(command, env=env, input=data, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with the locked dependencies and the built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    [wheel] = folder.glob("interlock-*.whl")
    venv.create(folder / "clean", with_pip=True)
    programs = folder / "clean" / "bin"
    install: list[str | Path] = [
        programs / "python",
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        "install",
    ]
    run(*install, "--require-hashes", "--no-deps", "-r", ROOT / "requirements" / "run.lock")
    run(*install, "--no-deps", wheel)
    return programs


def test_the_wheel_carries_the_shim(clean: Path) -> None:
    """Both programs stand beside each other and are of one version; the shim is no script."""
    version = run(clean / "interlock", "--version").split()[-1]

    assert run(clean / "interlock-hook", "--version").split()[-1] == version
    assert (clean / "interlock-hook").read_bytes()[:2] != b"#!"


def test_from_nothing_to_a_denied_call(clean: Path, tmp_path: Path) -> None:
    """The README's commands: init, install, doctor; then the starter policy denies the client's call."""
    home = tmp_path / "home"
    home.mkdir()
    short = tempfile.mkdtemp(prefix="ilk-")  # the path of a socket has to be
    env = {"PATH": os.defpath, "HOME": str(home), "XDG_RUNTIME_DIR": short}
    try:
        run(clean / "interlock", "init", env=env)
        run(clean / "interlock", "install", "claude-code", env=env)
        run(clean / "interlock", "doctor", env=env)
        settings = json.loads((home / ".claude" / "settings.json").read_text())
        handler = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        data = json.dumps({**PAYLOAD, "cwd": str(tmp_path)}).encode()
        answer = json.loads(run(handler["command"], *handler["args"], env={}, data=data))
    finally:
        run(clean / "interlock", "daemon", "stop", env=env)
        shutil.rmtree(short)

    assert answer["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "overwrite commits" in answer["hookSpecificOutput"]["permissionDecisionReason"]


def test_the_server_for_agents_is_an_extra(clean: Path) -> None:
    """Without it one sentence says how to get it, and nothing else is missed."""
    done = subprocess.run(
        [clean / "interlock", "mcp"], input=b"", capture_output=True, timeout=60, check=False
    )

    assert done.returncode == 2
    assert b"run `pip install 'interlock[mcp]'`" in done.stderr
