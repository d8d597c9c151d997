"""An installation of Interlock in a home of its own, as a person would make it: through the command line."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from clients.turns import JsonObject

PROGRAM: Final = Path(sys.executable).with_name("interlock")
SECONDS: Final = 180.0


@dataclass(frozen=True, kw_only=True)
class InterlockHome:
    """The folders of one installation and what a person does with them."""

    home: Path  # the person's home; the client's settings are below it

    @property
    def folder(self) -> Path:
        """What INTERLOCK_HOME names."""
        return self.home / "interlock"

    @property
    def client_settings(self) -> Path:
        """Where the client reads its hooks."""
        return self.home / ".claude" / "settings.json"

    @property
    def launch(self) -> Path:
        """What the shim reads to find and to start the daemon."""
        return self.folder / "launch"

    def call(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run `interlock …`; a failure shows what it said."""
        env = {"PATH": os.defpath, "HOME": str(self.home), "INTERLOCK_HOME": str(self.folder)}
        command = [str(PROGRAM), *arguments]
        done = subprocess.run(
            command, cwd=self.home, env=env, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        if check and done.returncode != 0:
            raise AssertionError(f"{shlex.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def install(self) -> None:
        """Put our hooks into the client's user settings."""
        self.call("install", "claude-code", "--scope", "user")

    def policy(self, **sections: Any) -> None:
        """Write the user's policy; JSON is YAML too."""
        target = self.folder / "config" / "genesis.key"
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        target.write_text(json.dumps({"version": "2.0", **sections}, indent=1), encoding="utf-8")

    def shim(self) -> Path:
        """The program the client starts, read where the client reads it."""
        settings = json.loads(self.client_settings.read_text("utf-8"))
        handler = settings["hooks"]["PreToolUse"][0]["hooks"][0]
        # The exec form names the program alone; the shell form is a line to be split.
        return Path(handler["command"] if "args" in handler else shlex.split(handler["command"])[0])

    def daemon_pid(self) -> int:
        """The running daemon, by the lock it holds."""
        return int((self.folder / "run" / "daemon.lock").read_text("utf-8"))

    def kill_daemon(self) -> int:
        """End the daemon without a chance to tidy up; give the id it had."""
        pid = self.daemon_pid()
        os.kill(pid, signal.SIGKILL)
        return pid

    def break_start(self) -> None:
        """Stop the daemon, and let the shim name a program that does not exist."""
        self.call("daemon", "stop", check=False)
        places = self.launch.read_text("utf-8").splitlines()[:4]
        self.launch.write_text("\n".join([*places, "/nonexistent/python", ""]), encoding="utf-8")

    def approvals(self) -> list[JsonObject]:
        """The requests in the store, oldest first."""
        with self._database() as database:
            return [dict(row) for row in database.execute("SELECT * FROM approvals ORDER BY id")]

    def approve_pending(self) -> int:
        """Say yes to every open request, as a person; give how many there were."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        with self._database() as database, database:
            done = database.execute(
                "UPDATE approvals SET state = 'approved', decided_by = 'human:tester', decided_at = ?"
                " WHERE state = 'pending'",
                (now,),
            )
            return done.rowcount

    def ledger(self) -> list[JsonObject]:
        """The entries, oldest first."""
        lines = self.call("ledger", "list", "--json").stdout.splitlines()
        entries: list[JsonObject] = [{**entry["body"], **entry} for entry in map(json.loads, lines)]
        return sorted(entries, key=lambda entry: int(entry["seq"]))

    def doctor(self) -> tuple[int, str]:
        """What the doctor says, and its exit code; what it says is JSON."""
        done = self.call("doctor", "--json", check=False)
        json.loads(done.stdout)
        return done.returncode, done.stdout

    def end(self) -> None:
        """Leave no daemon behind."""
        self.call("daemon", "stop", check=False)
        with contextlib.suppress(OSError, ValueError):
            pid = self.daemon_pid()
            if str(self.folder).encode() in Path("/proc", str(pid), "cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)

    def _database(self) -> contextlib.closing[sqlite3.Connection]:
        database = sqlite3.connect(self.folder / "state" / "interlock.db", timeout=90)
        database.row_factory = sqlite3.Row
        return contextlib.closing(database)


def denying(matcher: str, reason: str) -> JsonObject:
    """A hook that denies what matches."""
    return {"name": "denying", "type": "deny", "matcher": matcher, "config": {"reason": reason}}


def answering(answer: JsonObject, matcher: str | None = None) -> JsonObject:
    """A command hook with one fixed answer."""
    command = f"cat >/dev/null; printf %s {shlex.quote(json.dumps(answer))}"
    named = {} if matcher is None else {"matcher": matcher}
    return {"name": "answering", "type": "command", **named, "config": {"command": command}}


def of_event(entries: Iterable[JsonObject], event: str) -> list[JsonObject]:
    """The decisions of one event."""
    return [entry for entry in entries if entry["op"] == "decision" and entry.get("event") == event]
