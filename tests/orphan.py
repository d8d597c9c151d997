"""Processes that lost their parent, as `setsid -f` makes them, each on a terminal of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.terminal import at_terminal

PATIENCE = 90.0


def left_alone(out: Path, *command: str, typed: tuple[str, ...] = (), user: int = 0) -> tuple[int, str]:
    """Run a command below a process whose parent has gone; its exit code and the screen."""
    subprocess.run(
        [sys.executable, __file__, str(out), str(user), json.dumps(typed), *command],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **_home()},
        timeout=60,
        check=True,
    )
    end = time.monotonic() + PATIENCE
    while not out.exists():
        assert time.monotonic() < end, "waited in vain for what was left alone"
        time.sleep(0.02)
    code, screen = json.loads(out.read_text())
    out.unlink()
    return code, screen


def _home() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name == "INTERLOCK_HOME"}


def _live_on(out: Path, user: int, typed: list[str], command: list[str]) -> None:
    first = os.getpid()
    if os.fork():
        os._exit(0)
    os.setsid()
    while os.getppid() == first:
        time.sleep(0.005)
    half = out.with_name(f"{out.name}.half")
    half.touch(mode=0o666)
    if user:
        os.setreuid(user, -1)  # whose process it is; what it runs it may still find
    done = at_terminal(command, *(line.encode() for line in typed))
    half.write_text(json.dumps(done))
    os.rename(half, out)  # noqa: PTH104 - a Path's own would need the folder's owner as well
    os._exit(0)


if __name__ == "__main__":
    _live_on(Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4:])
