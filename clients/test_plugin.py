"""Acceptance: the plugin of this repository, installed into the real client as a person does it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.claude_code import Run, environment, run_claude
from clients.install import NEW, PINNED, install
from clients.interlock_home import PROGRAM
from clients.turns import bash, say

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = pytest.mark.parametrize("pinned", [PINNED, NEW], ids=["old", "new"])
POLICY = (
    'version: "2.0"\nhooks: {pre_tool_use: [{type: deny, matcher: "Bash(rm *)", config: {reason: kept}}]}\n'
)


def claude(pinned: Path, home: Path, *words: str | Path) -> str:
    """Type `claude …` in a home; it must succeed."""
    env = environment(home, "http://127.0.0.1:9")
    done = subprocess.run(
        [install(pinned), *words], cwd=home, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def interlock(home: Path, *words: str) -> str:
    """Type `interlock …` in a home whose owner has set nothing but a short place for sockets."""
    (home / "run").mkdir(mode=0o700, exist_ok=True)
    env = {"PATH": os.defpath, "HOME": str(home), "XDG_RUNTIME_DIR": str(home / "run")}
    done = subprocess.run(
        [PROGRAM, *words], cwd=home, env=env, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def add_plugin(pinned: Path, home: Path) -> Path:
    """Install the plugin from a copy of what the repository ships, and give that copy."""
    market = home / "market"
    for name in (".claude-plugin", "plugins"):
        shutil.copytree(ROOT / name, market / name)
    claude(pinned, home, "plugin", "marketplace", "add", market)
    claude(pinned, home, "plugin", "install", "interlock@interlock")
    return market


def play(pinned: Path, project: Path, home: Path) -> Run:
    """A session in which the agent deletes a folder."""
    return run_claude(project, home, [bash("rm -r build"), say("bye")], program=[str(install(pinned))])


@pytest.fixture
def owner(home: Path) -> Iterator[Path]:
    """Somebody with a policy and an installed Interlock."""
    config = home / ".config" / "interlock"
    config.mkdir(parents=True)
    (config / "genesis.key").write_text(POLICY, encoding="utf-8")
    interlock(home, "install", "claude-code")
    try:
        yield home
    finally:
        interlock(home, "daemon", "stop")


def decided(home: Path) -> Counter[str]:
    """How many decisions the ledger has for each event of the one session with tool calls.

    `claude plugin install` is a session too, of which only the end is reported.
    """
    entries = [json.loads(line) for line in interlock(home, "ledger", "list", "--json").splitlines()]
    made = [entry["body"] for entry in entries if entry["op"] == "decision"]
    [session] = {body["session_id"] for body in made if body["event"] == "PreToolUse"}
    return Counter(body["event"] for body in made if body["session_id"] == session)


def test_the_client_finds_nothing_wrong_with_it(home: Path) -> None:
    """The newer client checks a marketplace and its plugin."""
    market = add_plugin(NEW, home)

    claude(NEW, home, "plugin", "validate", market)
    claude(NEW, home, "plugin", "validate", market / "plugins" / "interlock")


@VERSIONS
def test_without_it_the_folder_goes(pinned: Path, project: Path, home: Path) -> None:
    """The control: nothing else keeps the agent from deleting."""
    play(pinned, project, home)

    assert not (project / "build").exists()


@VERSIONS
def test_without_interlock_every_call_is_denied_and_says_how_to_get_it(
    pinned: Path, project: Path, home: Path
) -> None:
    """Nobody works unguarded unaware: the model reads what is missing at the start and at each call."""
    add_plugin(pinned, home)

    run = play(pinned, project, home)

    assert (project / "build" / "kept.txt").exists()
    assert "pipx install interlock" in run.tool_results()[0]
    assert "every tool call is denied" in run.said()
    assert (run.exit_code, run.left) == (0, 0)


@VERSIONS
def test_it_asks_the_interlock_of_whoever_works_there(pinned: Path, project: Path, owner: Path) -> None:
    """Without entries in any settings, the person's policy decides."""
    interlock(owner, "uninstall", "claude-code")
    add_plugin(pinned, owner)

    run = play(pinned, project, owner)

    assert "Tool denied: kept" in run.tool_results()[0]
    assert (project / "build" / "kept.txt").exists()
    assert decided(owner)["PreToolUse"] == 1


@VERSIONS
def test_beside_installed_hooks_nothing_is_decided_twice(pinned: Path, project: Path, owner: Path) -> None:
    """One decision for each event, and the model reads the reason once."""
    add_plugin(pinned, owner)

    run = play(pinned, project, owner)

    assert set(decided(owner).values()) == {1}
    assert run.tool_results()[0].count("kept") == 1
    assert (project / "build" / "kept.txt").exists()


@VERSIONS
def test_it_still_guards_where_a_project_disarms_the_installed_hook(
    pinned: Path, project: Path, owner: Path
) -> None:
    """A copy of our entry that waits too short a time replaces the entry, and not the plugin's."""
    add_plugin(pinned, owner)
    settings = json.loads((owner / ".claude" / "settings.json").read_text("utf-8"))
    copy = {**settings["hooks"]["PreToolUse"][0]["hooks"][0], "timeout": 0.01}
    (project / ".claude").mkdir()
    disarming = {"hooks": {"PreToolUse": [{"hooks": [copy]}]}}
    (project / ".claude" / "settings.json").write_text(json.dumps(disarming), encoding="utf-8")

    run = play(pinned, project, owner)

    assert "kept" in run.tool_results()[0]
    assert (project / "build" / "kept.txt").exists()


@VERSIONS
def test_a_guard_that_is_missing_denies(pinned: Path, project: Path, home: Path) -> None:
    """A plugin whose script was lost holds calls up, also on a client that does not know `onFailure`."""
    market = add_plugin(pinned, home)
    for guard in [*market.rglob("guard.sh"), *(home / ".claude").rglob("guard.sh")]:
        guard.unlink()

    run = play(pinned, project, home)

    assert (project / "build" / "kept.txt").exists()
    assert run.exit_code == 0
