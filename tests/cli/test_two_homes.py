"""Laws of two homes of one user, with the real commands: each has its own daemon; the doctor tells which."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.cli.typed import Typed, typed_for_real
from tests.daemon.home import remove, wait_for

from interlock.daemon.launcher import status
from interlock.daemon.paths import Places, places_of
from interlock.hosts.launching import locate_installed

pytestmark = pytest.mark.deep

DENIES = """\
version: "2.0"
hooks: {pre_tool_use: [{name: all, type: deny, matcher: Bash, config: {reason: "not here"}}]}
"""
CALL = {
    "session_id": "s",
    "hook_event_name": "PreToolUse",
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
}


@dataclass(frozen=True)
class Person:
    """A home as HOME names it, and where its user's sockets lie."""

    home: Path
    runtime: str

    @property
    def environment(self) -> dict[str, str]:
        """No variable moves anything but these two."""
        moved = ("INTERLOCK_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
        return {**dict.fromkeys(moved, ""), "HOME": str(self.home), "XDG_RUNTIME_DIR": self.runtime}

    @property
    def places(self) -> Places:
        """Where its daemon is to be found."""
        return places_of(locate_installed(self.environment, home=self.home, cwd=self.home, uid=os.getuid()))

    def types(self, *words: str) -> Typed:
        """A command, as its own process."""
        return typed_for_real(*words, through=(), **self.environment)

    def shim(self) -> dict[str, Any]:
        """What the installed shim answers before a command."""
        program = self.home / ".local" / "share" / "interlock" / "bin" / "interlock-hook"
        done = subprocess.run(
            [program, "claude-code"],
            input=json.dumps({**CALL, "tool_input": {"command": "ls"}}).encode(),
            env={},
            capture_output=True,
            timeout=60,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
        return found

    def kill_daemon(self) -> None:
        """End it the hard way, if there is one, and wait until it has gone."""
        found = status(self.places)
        if found is not None:
            os.kill(found["pid"], signal.SIGKILL)
            wait_for(lambda: not Path(f"/proc/{found['pid']}/cmdline").exists(), "the daemon has gone")


@pytest.fixture(params=["with", "without"])
def people(request: pytest.FixtureRequest) -> Iterator[tuple[Person, Person]]:
    """Two homes with one folder for sockets, or with none."""
    folder = Path(tempfile.mkdtemp(prefix="ilk-"))
    (folder / "run").mkdir(mode=0o700)
    runtime = str(folder / "run") if request.param == "with" else ""
    first, second = (Person(folder / name, runtime) for name in "ab")
    for person in (first, second):
        (person.home / ".config" / "interlock").mkdir(parents=True)
    (first.home / ".config" / "interlock" / "genesis.key").write_text(DENIES)
    assert first.types("install", "claude-code").code == 0
    yield first, second
    for person in (first, second):
        person.kill_daemon()
        shutil.rmtree(person.places.run, ignore_errors=True)
    remove(folder)


def running(person: Person) -> int:
    """The process of its daemon."""
    found = status(person.places)
    assert found is not None
    return int(found["pid"])


def daemon_check(person: Person) -> dict[str, Any]:
    """What the doctor says of the daemon."""
    checks = person.types("doctor", "--json").document["checks"]
    (found,) = [check for check in checks if check["what"] == "daemon"]
    return dict(found)


def test_starting_the_daemon_of_another_home_takes_nobodys_place(people: tuple[Person, Person]) -> None:
    """After the first home's daemon was killed and the second's started, the first's policy still decides."""
    first, second = people
    assert first.shim()["permissionDecisionReason"] == "Tool denied: not here"
    first.kill_daemon()
    assert second.types("daemon", "start").code == 0

    assert first.shim()["permissionDecisionReason"] == "Tool denied: not here"
    assert daemon_check(first)["state"] == "ok"
    assert first.places.socket != second.places.socket


@pytest.mark.parametrize("people", ["with"], indirect=True)
def test_the_doctor_names_a_daemon_of_another_home(people: tuple[Person, Person]) -> None:
    """One that was put at this home's socket by hand, or started with other policies, is a failure."""
    first, second = people
    first.shim()
    own = first.places
    first.kill_daemon()
    state, config = second.home / "state", second.home / "config"
    found = []
    for served in ((state, config), (own.state, config)):
        words = [f"--{name}={path}" for name, path in zip(("state", "user-config"), served, strict=True)]
        command = [sys.executable, "-I", "-m", "interlock.daemon", "run", *words]
        with subprocess.Popen(
            [*command, "--managed-config=/etc/interlock", f"--socket={own.socket}"]
        ) as other:
            wait_for(lambda: status(own), "it answers")
            found.append((first.shim(), daemon_check(first)))
            with suppress(ProcessLookupError):
                other.kill()

    for answer, check in found:
        assert answer["permissionDecision"] == "deny"
        assert "serves another home" in answer["permissionDecisionReason"]
        assert check["state"] == "fail"
        assert "serves another home" in check["detail"]
        assert check["next"] == "interlock daemon restart"
    assert first.types("daemon", "restart").code == 0
    assert daemon_check(first)["state"] == "ok"


@pytest.mark.parametrize("people", ["with"], indirect=True)
def test_an_installation_of_an_earlier_version_goes_on_until_the_next_install(
    people: tuple[Person, Person],
) -> None:
    """Its launch file names a socket that homes shared; commands follow it, `install` moves to its own."""
    first, _ = people
    launch = first.home / ".local" / "share" / "interlock" / "bin" / "interlock-hook.launch"
    own = first.places
    shared = Path(tempfile.mkdtemp(prefix="ilk-")) / "interlock"
    old = f"{shared}/interlock.sock"
    launch.write_text(launch.read_text().replace(str(own.run), str(shared)))
    before = (first.shim(), running(first))
    assert first.types("paths", "--json").document["socket"] == old
    assert first.types("install", "claude-code").code == 0
    after = (first.shim(), running(first))
    remove(shared.parent)

    assert before[0] == after[0]
    assert before[0]["permissionDecisionReason"] == "Tool denied: not here"
    assert before[1] != after[1]
    wait_for(lambda: not Path(f"/proc/{before[1]}/cmdline").exists(), "the old daemon has gone")
    assert first.places.socket == own.socket
