"""Times the shim alone, against spawning `/bin/true`, from a caller in C and interleaved in one run."""

from __future__ import annotations

import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 3_000
WARM = 100
SHIM = Path(sys.executable).with_name("interlock-hook")
CALLER = Path(__file__).with_name("caller.c")


def write_home(folder: Path) -> Path:
    """A launch file with nothing to start; gives the socket."""
    socket = folder / "socket"
    lines = ["interlock-launch 1", socket, folder / "state", folder / "start.lock"]
    launch = folder / "launch"
    launch.write_text("".join(f"{line}\n" for line in lines))
    launch.chmod(0o600)
    return socket


def time_programs(folder: Path, programs: list[list[str]], command_size: int) -> list[list[float]]:
    """Microseconds per run, one list per program, the first rounds left out."""
    caller = folder / "caller"
    cc = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*cc, "-O2", "-o", caller, CALLER], check=True)
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "x" * command_size},
    }
    payload = folder / "event.json"
    payload.write_text(json.dumps(event))
    socket = write_home(folder)
    words = [word for program in programs for word in ("--", *program)]
    run = [str(caller), str(ROUNDS + WARM), str(socket), str(payload), *words]
    printed = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    rounds = [[float(number) for number in line.split()] for line in printed.splitlines()[WARM:]]
    return [list(column) for column in zip(*rounds, strict=True)]


def row(what: str, value: float, bar: float) -> bool:
    """Print one ratio beside its bar."""
    held = value <= bar
    print(f"{what:<58} {value:>9.2f} x   bar {bar:>7.1f}  {'held' if held else 'MISSED'}")
    return held


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    held = []
    for size in (100, 20_000):
        with tempfile.TemporaryDirectory(prefix="ilk-") as name:
            folder = Path(name)
            mine, plain = time_programs(folder, [[str(SHIM), "--home", name], ["/bin/true"]], size)
        base = statistics.median(plain)
        p99 = statistics.quantiles(mine, n=100)[98]
        print(
            f"{size:>6} byte command: shim {statistics.median(mine):.0f} us p50, {p99:.0f} p99; "
            f"/bin/true {base:.0f} us p50, {statistics.quantiles(plain, n=100)[98]:.0f} p99"
        )
        held += [
            row("shim and an answer against `/bin/true`, p50", statistics.median(mine) / base, 1.2),
            row("shim p99 against `/bin/true` p50", p99 / base, 4),
        ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
