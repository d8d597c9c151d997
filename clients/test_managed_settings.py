"""Acceptance: entries in the machine's settings run whatever a project says, old client and new."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from clients.claude_code import run_claude
from clients.install import NEW, PINNED, install
from clients.interlock_home import PROGRAM, denying
from clients.turns import JsonObject, bash, say

ETC: Final = Path("/etc/claude-code")
VERSIONS: Final = pytest.mark.parametrize("pinned", [PINNED, NEW], ids=["old", "new"])
COPY: Final[JsonObject] = {
    "type": "command",
    "command": str(ETC / "interlock-launcher"),
    "args": ["claude-code"],
    "timeout": 0.01,
}

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a /etc of its own")


def on_machine(folder: Path) -> list[str]:
    """How a program is started that sees `folder` as the machine's settings, and the rest as it is."""
    others = sorted(str(path) for path in ETC.parent.iterdir() if path != ETC)
    binds = [word for path in others for word in ("--ro-bind-try", path, path)]
    own = ["--tmpfs", "/etc", *binds, "--bind", str(folder), str(ETC)]
    return ["bwrap", "--dev-bind", "/", "/", *own, "--die-with-parent"]


class Machine:
    """A person's home on a machine whose root has installed Interlock."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.etc = base / "etc"
        for folder in (self.home / "run", self.etc, self.home / ".config" / "interlock"):
            folder.mkdir(parents=True, mode=0o700)
        policy = {"version": "2.0", "hooks": {"pre_tool_use": [denying("Bash(rm *)", "kept")]}}
        (self.home / ".config" / "interlock" / "genesis.key").write_text(json.dumps(policy), "utf-8")

    @property
    def variables(self) -> dict[str, str]:
        """A short place for sockets, and nothing else of ours."""
        return {"XDG_RUNTIME_DIR": str(self.home / "run")}

    def typed(self, *arguments: str) -> None:
        """Type an `interlock` command there."""
        env = {"PATH": os.defpath, "HOME": str(self.home), **self.variables}
        command = [*on_machine(self.etc), str(PROGRAM), *arguments]
        subprocess.run(command, env=env, cwd=self.home, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    """Installed once for all tests here."""
    with tempfile.TemporaryDirectory(prefix="home-", ignore_cleanup_errors=True) as folder:
        made = Machine(Path(folder))
        try:
            made.typed("install", "claude-code", "--managed")
            yield made
        finally:
            made.typed("daemon", "stop")


def kept(
    project: Path, machine: Machine, pinned: Path, settings: JsonObject, extra_args: Sequence[str] = ()
) -> bool:
    """Whether a folder outlives a session in a project with these settings."""
    (project / ".claude").mkdir()
    (project / ".claude" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    play(project, machine, pinned, "rm -r build", extra_args)
    return (project / "build").exists()


def play(project: Path, machine: Machine, pinned: Path, command: str, extra_args: Sequence[str] = ()) -> None:
    """A session in which the agent runs one command."""
    run = run_claude(
        project,
        machine.home,
        [bash(command), say("bye")],
        env=machine.variables,
        program=[*on_machine(machine.etc), str(install(pinned))],
        extra_args=extra_args,
    )
    assert (run.exit_code, run.left) == (0, 0)


@VERSIONS
@pytest.mark.parametrize(
    "settings",
    [
        {"disableAllHooks": True, "env": {"CLAUDE_CODE_SIMPLE": "1"}},
        {"hooks": {"PreToolUse": [{"hooks": [COPY]}]}},
        {"env": {"XDG_DATA_HOME": "/proc/self/cwd/evil"}},
    ],
    ids=["switches", "copy", "another-shim"],
)
def test_what_a_project_says_changes_nothing(
    project: Path, machine: Machine, pinned: Path, settings: JsonObject
) -> None:
    """Hooks switched off, our entry copied with no time to answer, and a shim of the project's own."""
    shim = project / "evil" / "interlock" / "bin" / "interlock-hook"
    shim.parent.mkdir(parents=True)
    shim.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    shim.chmod(0o755)

    assert kept(project, machine, pinned, settings)


@VERSIONS
@pytest.mark.parametrize("option", ["--bare", "--safe-mode"])
def test_what_the_command_line_says_changes_little(
    project: Path, machine: Machine, pinned: Path, option: str
) -> None:
    """Started without the user's settings, the client reads the machine's; only an old one runs bare."""
    is_bare = option == "--bare" and pinned is PINNED

    assert kept(project, machine, pinned, {}, [option]) is not is_bare


@VERSIONS
def test_the_users_own_hooks_go_on_running(project: Path, machine: Machine, pinned: Path) -> None:
    """Nothing is written that would let only managed hooks run."""
    seen = project / "seen"
    own = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": f"touch {seen}"}]}]}}
    file = machine.home / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(own), encoding="utf-8")
    try:
        play(project, machine, pinned, "true")
    finally:
        file.unlink()

    assert seen.exists()
