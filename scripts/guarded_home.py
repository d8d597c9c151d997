"""A new home that `interlock setup` has set up, and calls of an agent through the installed hook."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

INTERLOCK = Path(sys.executable).with_name("interlock")
SECONDS = 120.0


class GuardedHome:
    """The home of somebody who has just run `interlock setup --yes`; close it when done."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.project = folder / "project"
        (folder / ".claude").mkdir(parents=True)
        self.project.mkdir()
        self._sockets = Path(tempfile.mkdtemp(prefix="il-"))  # the path of a socket has to be short
        self.environment = {
            "PATH": f"{INTERLOCK.parent}:{os.defpath}",
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(self._sockets),
            "TMUX_TMPDIR": str(self._sockets),
            **variables,
        }
        try:
            self.run(["git", "init", "-q", self.project])
            self.printed = self.run([INTERLOCK, "setup", "--yes"])
        except BaseException:
            self.close()
            raise

    @property
    def policy(self) -> Path:
        """The starter policy."""
        return self.folder / ".config" / "interlock" / "genesis.key"

    def close(self) -> None:
        """Stop the daemon and remove its sockets; the folder stays."""
        self.run([INTERLOCK, "daemon", "stop"], must_succeed=False)
        shutil.rmtree(self._sockets)

    def run(
        self,
        command: list[Path | str],
        data: bytes = b"",
        environment: Mapping[str, str] | None = None,
        must_succeed: bool = True,
    ) -> str:
        """Run a program in the project and return what it printed; raise when it must succeed and fails."""
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.environment if environment is None else environment,
            input=data,
            capture_output=True,
            check=must_succeed,
            timeout=SECONDS,
        )
        return done.stdout.decode().strip("\n")

    def hook(self, name: str) -> list[Path | str]:
        """The command that Claude Code's settings name for an event."""
        settings = json.loads((self.folder / ".claude" / "settings.json").read_text("utf-8"))
        hook = settings["hooks"][name][0]["hooks"][0]
        return [hook["command"], *hook["args"]]

    def ask_hook(self, name: str, **fields: Any) -> dict[str, Any]:
        """Report an event as Claude Code does: run the command of its settings with the event on stdin."""
        event = {
            "hook_event_name": name,
            "session_id": "7c1e",
            "transcript_path": str(self.folder / "transcript.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "dontAsk",
            **fields,
        }
        answer = self.run(self.hook(name), json.dumps(event).encode(), environment={})
        found: dict[str, Any] = json.loads(answer).get("hookSpecificOutput", {}) if answer else {}
        return found

    def ask_command(self, command: str) -> str:
        """Let the agent run a shell command; the reason when it may not, else nothing."""
        answer = self.ask_hook(
            "PreToolUse",
            tool_name="Bash",
            tool_input={"command": command},
            tool_use_id=f"toolu_{hash(command)}",
        )
        return str(answer.get("permissionDecisionReason", ""))
