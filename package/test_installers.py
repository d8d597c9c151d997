"""The two usual ways to install a command line, each in an empty home."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from package.conftest import run

from interlock.version import __version__


@pytest.fixture
def empty(tmp_path: Path, wheels: Path) -> dict[str, str]:
    """The environment of somebody who has installed nothing yet, and whose index is the folder of wheels."""
    return {
        "PATH": os.defpath,
        "HOME": str(tmp_path),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "UV_OFFLINE": "1",
        "UV_FIND_LINKS": str(wheels),
        "UV_PYTHON": sys.executable,
        "UV_PYTHON_DOWNLOADS": "never",
    }


def test_pipx_installs_both_programs(wheel: Path, tools: Path, empty: dict[str, str]) -> None:
    """`interlock` and the shim land on the person's path, and the shim is the native one."""
    run(tools / "pipx", "install", "--python", sys.executable, "--backend", "pip", wheel, env=empty)
    programs = Path(empty["HOME"]) / ".local" / "bin"

    assert run(programs / "interlock", "--version", env=empty).split()[-1] == __version__
    assert run(programs / "interlock-hook", "--version", env=empty).split()[-1] == __version__
    assert (programs / "interlock-hook").read_bytes()[:2] != b"#!"


def test_uvx_runs_it_without_installing(
    wheel: Path, tools: Path, empty: dict[str, str], tmp_path: Path
) -> None:
    """One command tries a policy, and nothing of Interlock is left in the home but uv's cache."""
    policy = tmp_path / "genesis.key"
    policy.write_text('version: "2.0"\nhooks: {pre_tool_use: [{type: deny, matcher: "Bash(rm *)"}]}\n')
    call = ["--tool", "Bash", "--args", "rm -rf build", "--config", str(policy), "--json"]

    uvx = [tools / "uvx", "--from", wheel, "interlock"]
    shown = json.loads(run(*uvx, "hooks", "simulate", *call, env=empty, cwd=tmp_path))

    assert shown["decision"] == "deny"
    assert run(*uvx, "--version", env=empty).split()[-1] == __version__
