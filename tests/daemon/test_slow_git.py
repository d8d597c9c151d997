"""Laws of a git that takes its time: the session that asks waits for it, and no other notices."""

from __future__ import annotations

import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.daemon.home import Home, bash, decided, event

from interlock.policy.trust import FOLDER, TrustList

pytestmark = pytest.mark.deep

POLICY = 'version: "2.0"\nsettings: {packs: [baseline]}\n'
CLEANING = 'version: "2.0"\nhooks: {pre_tool_use: [{type: cleaning, matcher: Bash}]}\n'
CONTRACT = 'version: "2.0"\nhooks: {stop: [{type: completion}]}\n'


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    """A repository about which git can say nothing: it reads its settings from a pipe that nobody feeds."""
    root = tmp_path / "slow"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    os.mkfifo(root / "settings")
    with (root / ".git" / "config").open("a") as config:
        config.write(f"[include]\npath = {root}/settings\n")
    return root


def remove(home: Home, folder: Path, session: str, number: int = 0) -> tuple[str | None, str]:
    """What the real shim says of a folder that would be deleted whole."""
    fields = {"cwd": str(folder), "session_id": session, "tool_use_id": f"{session}-{number}"}
    return decided(home.shim(bash("rm -rf build", **fields)))


def test_others_are_answered_while_git_is_waited_for(place: Home, slow: Path, tmp_path: Path) -> None:
    """Also what needs git itself; the one that asked hears that git did not answer.

    How many they are until git has had its time says how busy the machine is.
    """
    place.write_policy(CLEANING)
    place.start()
    quick = tmp_path / "quick"
    subprocess.run(["git", "init", "-q", str(quick)], check=True)
    (quick / ".gitignore").write_text("build/\n")
    ended = threading.Event()

    with ThreadPoolExecutor() as threads:
        asked = [threads.submit(remove, place, slow, "patient", number) for number in range(6)]
        asked[0].add_done_callback(lambda _: ended.set())
        answered = 0
        for number in range(10):
            assert decided(place.shim(bash("ls", session_id="other", tool_use_id=str(number)))) == (None, "")
            assert remove(place, quick, "other", number) == (None, "")
            answered += not ended.is_set()
        assert answered > 0
        said = [one.result() for one in asked]

    assert all(vote is not None and "git did not say in time" in reason for vote, reason in said)
    assert place.status() is not None


def test_a_git_in_the_path_of_the_daemon_is_not_run(place: Home, tmp_path: Path) -> None:
    """A virtual environment that was active when the daemon was started is written by an agent."""
    root = tmp_path / "app"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".gitignore").write_text("build/\n")
    own = root / ".venv" / "bin" / "git"
    own.parent.mkdir(parents=True)
    own.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    own.chmod(0o755)
    place.write_policy(CLEANING)
    place.start(env={"PATH": f"{own.parent}:/usr/bin:/bin"})

    assert remove(place, root, "s") == (None, "")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", [".interlock/completion.json", "package.json", "Makefile"])
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(place: Home, tmp_path: Path, name: str) -> None:
    """What a contract or a check is read from may be one; a daemon that opened it would never come back."""
    root = tmp_path / "app"
    (root / ".interlock").mkdir(parents=True)
    (root / ".interlock" / "genesis.key").write_text(CONTRACT)
    place.write_policy(POLICY)
    place.start().kill()
    TrustList(place.places.state / FOLDER).trust(str(root), {"PATH": "/usr/bin:/bin"})
    place.start()
    if "completion" not in name:
        (root / ".interlock" / "completion.json").write_text('{"version": "2.0", "checks": {"build": true}}')
    os.mkfifo(root / name)
    stop = event("Stop", cwd=str(root), stop_hook_active=False)

    assert place.shim(stop).returncode == 0
    assert decided(place.shim(bash("ls"))) == (None, "")
