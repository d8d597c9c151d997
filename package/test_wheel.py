"""The wheel alone, in an environment with nothing of this repository in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

import pytest
from package.conftest import ROOT, run

from interlock.version import __version__

PAYLOAD = {
    "session_id": "s",
    "transcript_path": "/t",
    "hook_event_name": "PreToolUse",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": "cd src && git push -f origin main"},
    "tool_use_id": "toolu_1",
}


@pytest.fixture(scope="module")
def clean(wheel: Path, wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new environment with the built wheel and what it needs."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    run(*pip, "install", "--no-index", "--find-links", wheels, wheel)
    return folder / "bin"


def test_the_wheel_is_for_this_machine_and_any_python(wheel: Path) -> None:
    """Its name says so; with `any` in it, pip would put our program onto machines where it cannot run."""
    _, version, python, abi, platform = wheel.stem.split("-")

    assert (version, python, abi) == (__version__, "py3", "none")
    assert platform != "any"


def test_the_wheel_holds_the_package_and_the_shim_alone(wheel: Path) -> None:
    """No test, no document, no cache; and every file of the package that is not Python."""
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "src" / "interlock"
    files = {f"interlock/{f.relative_to(package)}" for f in package.rglob("*") if f.is_file()}
    info = f"interlock-{__version__}"

    assert {name for name in names if name.startswith("interlock/")} == {
        name for name in files if "__pycache__" not in name
    }
    assert {name.partition("/")[0] for name in names} == {"interlock", f"{info}.dist-info", f"{info}.data"}
    assert f"{info}.data/scripts/interlock-hook" in names


@pytest.mark.skipif(sys.platform != "linux", reason="the check of Linux wheels")
def test_the_wheel_runs_on_other_linuxes(wheel: Path, tools: Path) -> None:
    """The shim leans on no C library of this machine, so any Linux will do."""
    shown = " ".join(run(tools / "auditwheel", "show", wheel).split())

    assert 'following platform tag: "manylinux_' in shown
    assert "requires no external shared libraries" in shown


def test_the_wheel_carries_the_shim(clean: Path) -> None:
    """Both programs stand beside each other and are of one version; the shim is not a script."""
    version = run(clean / "interlock", "--version").split()[-1]

    assert run(clean / "interlock-hook", "--version").split()[-1] == version
    assert (clean / "interlock-hook").read_bytes()[:2] != b"#!"


def test_from_nothing_to_a_denied_call(clean: Path, tmp_path: Path) -> None:
    """The documented commands init, install and doctor; then the starter policy denies a call."""
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
