"""A home with a real daemon in it, and a launch file by which the real shim finds it."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.daemon.patient_shim import PatientShim

from interlock.daemon.client import DaemonError, call_daemon, request
from interlock.daemon.paths import Places
from interlock.daemon.protocol import Call
from interlock.hosts.host import Reply
from interlock.ledger.entry import Entry
from interlock.ledger.reader import LedgerReader
from interlock.ledger.verify import verify
from interlock.store.database import open_to_read

SHIM = PatientShim()
PROJECT = "/usr"  # a folder that is there on every machine and holds no home
PATIENCE = 90.0  # seconds; far more than a daemon needs on a busy machine


ME = f"human:{pwd.getpwuid(os.getuid()).pw_name}"


@dataclass(kw_only=True)
class Home:
    """One home; its path is short because a socket's must be."""

    folder: Path
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def places(self) -> Places:
        """Where everything lies."""
        return Places(
            managed_config=self.folder / "managed",
            user_config=self.folder / "config",
            state=self.folder / "state",
            socket=self.folder / "run" / "interlock.sock",
        )

    @property
    def policy(self) -> Path:
        """The user's policy."""
        return self.places.user_config / "genesis.key"

    def write_policy(self, text: str) -> None:
        """Give the user a policy, whole at any moment."""
        self.policy.parent.mkdir(parents=True, exist_ok=True)
        half = self.policy.with_name("half")
        half.write_text(text)
        half.replace(self.policy)

    def command(self) -> list[str]:
        """What runs the daemon."""
        return [sys.executable, "-I", "-m", "interlock.daemon", "run", *self.places.arguments()]

    def write_launch(self) -> None:
        """Let the shim find this home, and start the daemon if none is there."""
        places = self.places
        lines = ["interlock-launch 1", str(places.socket), str(places.state), str(places.start_lock)]
        launch = self.folder / "launch"
        launch.write_text("".join(f"{line}\n" for line in [*lines, *self.command()]))
        launch.chmod(0o600)

    def start(self, *prefix: str, env: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        """Start a daemon as our own child and wait until it answers."""
        process = subprocess.Popen(
            [*prefix, *self.command()],
            env={"PATH": "/usr/bin:/bin", **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.started.append(process)
        wait_for(lambda: process.poll() is not None or self.status() is not None, "the daemon answers")
        if process.poll() is not None:
            sys.stderr.write(f"the daemon ended with {process.returncode}: {self._log()}\n")
        return process

    def _log(self) -> str:
        with suppress(OSError):
            return self.places.log.read_text()[-2_000:]
        return "it wrote no log"

    def status(self) -> dict[str, Any] | None:
        """What the daemon says of itself, if there is one."""
        with suppress(DaemonError):
            found: dict[str, Any] = request(self.places.socket, "status", seconds=PATIENCE)
            return found
        return None

    def call(self, payload: bytes, **env: str) -> Reply:
        """Ask the daemon as the shim does."""
        call = Call(host="claude-code", payload=payload, env=env)
        return call_daemon(self.places.socket, call, silent=PATIENCE)

    def connected(self) -> socket.socket:
        """A connection of the test's own."""
        peer = socket.socket(socket.AF_UNIX)
        peer.settimeout(PATIENCE)
        try:
            peer.connect(str(self.places.socket))
        except OSError:
            peer.close()
            raise
        return peer

    def shim(self, payload: bytes, **env: str) -> subprocess.CompletedProcess[bytes]:
        """Hand the real shim an event, as a host does."""
        return subprocess.run(
            [SHIM, "--home", self.folder],
            input=payload,
            env=env,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )

    def entries(self, op: str | None = None) -> list[Entry]:
        """The ledger, oldest first."""
        with closing(open_to_read(self.places.database)) as connection:
            found = LedgerReader(connection).after(0, limit=1_000_000)
        return [entry for entry in found if op is None or entry.op == op]

    def broken(self) -> str | None:
        """What is wrong with the chain."""
        with closing(open_to_read(self.places.database)) as connection:
            found = verify(connection).broken
        return found.what if found else None

    def end(self) -> None:
        """Kill every daemon of this home, also those a shim started."""
        with suppress(OSError, ValueError):
            kill(int(self.places.lock.read_text()), str(self.folder))
        for process in self.started:
            process.kill()
            process.wait()
        self.started.clear()


def kill(pid: int, word: str) -> None:
    """Kill a process with a word in its command line; one that got the number since has not."""
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False)
    if word in shown.stdout.decode(errors="replace"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def remove(folder: Path) -> None:
    """Delete a folder, again while something that was just killed still writes there."""

    def removed() -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()

    wait_for(removed, f"{folder} can be deleted")


def wait_for(reached: Any, what: str) -> None:
    """Wait until something is so; fail when it never is."""
    end = time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE:g} s in vain: {what}")
        time.sleep(0.01)


def event(name: str = "PreToolUse", **fields: Any) -> bytes:
    """An event as Claude Code reports it; a tool call unless said otherwise."""
    given = {"session_id": "s", "cwd": PROJECT, "hook_event_name": name, **fields}
    return json.dumps(given).encode()


def bash(command: str, **fields: Any) -> bytes:
    """A shell command about to run."""
    return event(tool_name="Bash", tool_input={"command": command}, **fields)


def decided(reply: Reply | subprocess.CompletedProcess[bytes]) -> tuple[str | None, str]:
    """The permission decision in an answer and its reason; nothing said is None."""
    code = reply.exit_code if isinstance(reply, Reply) else reply.returncode
    assert (code, reply.stderr) == (0, b"")
    if not reply.stdout:
        return None, ""
    own = json.loads(reply.stdout)["hookSpecificOutput"]
    return own.get("permissionDecision"), own.get("permissionDecisionReason", "")
