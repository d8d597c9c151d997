"""A home the shim finds its way by, and a way to run it there."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SERVED = Path(__file__).with_name("served.py")


@dataclass(frozen=True, kw_only=True)
class ShimHome:
    """A shim and a home of its own; paths are short because a socket's must be."""

    shim: Path
    folder: Path

    @property
    def socket(self) -> Path:
        """Where the daemon listens."""
        return self.folder / "run" / "socket"

    @property
    def lock(self) -> Path:
        """What the starter holds."""
        return self.folder / "run" / "start.lock"

    @property
    def log(self) -> Path:
        """What every daemon that was started tells of itself."""
        return self.folder / "started"

    @property
    def launch(self) -> Path:
        """The file the shim reads all this from."""
        return self.folder / "launch"

    def write_launch(self, argv: Sequence[str] = (), env: Sequence[str] = ()) -> None:
        """Write the launch file; by default the daemon cannot be started."""
        (self.folder / "run").mkdir(mode=0o700, exist_ok=True)
        state = str(self.folder / "state")
        lines = ["interlock-launch 1", str(self.socket), state, str(self.lock)]
        self.launch.write_text("\n".join([*lines, *(f"env {one}" for one in env), *argv]) + "\n")
        self.launch.chmod(0o600)

    def serving(self) -> list[str]:
        """The argv of a daemon that comes up and answers."""
        return [sys.executable, "-I", "-S", str(SERVED), str(self.socket), str(self.log)]

    def started(self) -> list[dict[str, object]]:
        """What each started daemon told of itself."""
        return [json.loads(line) for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def gaps(self) -> list[str]:
        """The lines left for the daemon to record, without time and process."""
        file = self.folder / "state" / "gaps"
        lines = file.read_text().splitlines() if file.exists() else []
        assert all(part.isdigit() for line in lines for part in line.split(" ")[:2])
        return [line.split(" ", 2)[2] for line in lines]

    def command(self, *words: str) -> list[str]:
        """The command line of the shim in this home."""
        return [str(self.shim), "--home", str(self.folder), *words]

    def run(
        self, payload: bytes, *words: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Hand the shim an event, as a host does."""
        return subprocess.run(
            self.command(*words), input=payload, env=env, capture_output=True, timeout=60, check=False
        )


def event(name: str = "PreToolUse", **fields: object) -> bytes:
    """An event of that name."""
    return json.dumps({"session_id": "s", "hook_event_name": name, **fields}).encode()


def denied(done: subprocess.CompletedProcess[bytes]) -> str:
    """The reason of a refused tool call; fails when it was not refused in the host's words."""
    assert done.returncode == 0
    assert done.stderr == b""
    output = json.loads(done.stdout)["hookSpecificOutput"]
    reason = output.pop("permissionDecisionReason")
    assert output == {"hookEventName": "PreToolUse", "permissionDecision": "deny"}
    assert isinstance(reason, str)
    return reason
