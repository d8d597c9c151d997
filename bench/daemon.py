"""Times the whole way of an event: shim, daemon, decision, durable entry, answer.

Run it as `python -m bench.daemon [--events 1000000]`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bench.figure import note, pace, row

from interlock.daemon.client import request
from interlock.daemon.launcher import daemon_command, start, stop
from interlock.daemon.paths import Places
from interlock.daemon.protocol import Call, encode_call
from interlock.hosts.launching import Launch
from interlock.ledger.verify import verify
from interlock.store.database import open_to_read

HERE = Path(__file__).parent
SHIM = Path(sys.executable).with_name("interlock-hook")
PROJECT = "/usr"
ROUNDS, WARM = 3_000, 100
CLIENTS = 64
BURST = 40_000
TRIES = 3
COLD = 7
MEGA = 1024 * 1024


def policy() -> str:
    """A hundred rules: ten hooks with a matcher each, ninety patterns of permissions."""
    names = random.Random(7)
    shapes = ("Bash({} *)", "Bash(* --{})", "Bash(sudo {} *)", "Bash(*{}*)")
    denied = [shapes[i % 4].format(f"p{names.randrange(10**9):x}") for i in range(80)]
    allowed = [
        f"Bash({word} *)" for word in ("git", "npm", "make", "echo", "cargo", "ls", "cat", "rg", "go", "uv")
    ]
    hooks = [f'    - {{type: deny, matcher: "Bash(rm -rf /{i}*)"}}' for i in range(10)]
    lists = f"{{allow: {json.dumps(allowed)}, deny: {json.dumps(denied)}}}"
    lines = ['version: "2.0"', "hooks:", "  pre_tool_use:", *hooks, "permissions:", "  actors:"]
    return "\n".join([*lines, f'    "agent:main": {lists}', ""])


def event(name: str, session: str = "bench") -> bytes:
    """A call whose marks the C programs replace by numbers."""
    command = "git commit -m 'fix @@@@@@@@' && npm run build-@@@@@@@@ --silent"
    fields = {
        "session_id": session,
        "transcript_path": "/home/somebody/.claude/projects/x/session.jsonl",
        "cwd": PROJECT,
        "permission_mode": "default",
        "hook_event_name": name,
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Commit and build"},
        "tool_use_id": "toolu_@@@@@@@@",
    }
    if name == "PostToolUse":
        fields["tool_response"] = {"stdout": "ok " * 50, "stderr": "", "interrupted": False}
    return json.dumps(fields).encode()


def build(folder: Path, name: str) -> str:
    """A program of this folder, built for this machine."""
    target = folder / name
    cc = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*cc, "-O2", "-o", target, HERE / f"{name}.c"], check=True)
    return str(target)


@contextmanager
def home() -> Iterator[tuple[Path, Places]]:
    """A home with a policy and a launch file; its daemon ends with it."""
    with tempfile.TemporaryDirectory(prefix="ilk-") as name:
        folder = Path(name)
        places = Places(
            managed_config=folder / "managed",
            user_config=folder / "config",
            state=folder / "state",
            socket=folder / "run" / "interlock.sock",
        )
        places.user_config.mkdir()
        (places.user_config / "genesis.key").write_text(policy())
        launch = Launch(
            socket=str(places.socket),
            state=str(places.state),
            start_lock=str(places.start_lock),
            argv=tuple(daemon_command(places)),
        )
        (folder / "launch").write_text(launch.text())
        (folder / "launch").chmod(0o600)
        try:
            yield folder, places
        finally:
            stop(places)


def columns(folder: Path, payload: bytes, programs: list[list[str]]) -> list[list[float]]:
    """Microseconds per run, one list per program, interleaved; the first rounds left out."""
    file = folder / "event.json"
    file.write_bytes(payload)
    words = [word for program in programs for word in ("--", *program)]
    command = [build(folder, "caller"), str(ROUNDS + WARM), "-", str(file), *words]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rounds = [[float(number) for number in line.split()] for line in printed.splitlines()[WARM:]]
    return [list(column) for column in zip(*rounds, strict=True)]


def p99(values: list[float]) -> float:
    """The value one in a hundred is above."""
    return statistics.quantiles(values, n=100)[98]


def round_trips() -> list[bool]:
    """One call at a time, as an agent makes them, beside what it cannot cost less than."""
    with home() as (folder, places):
        start(places)
        shim = [str(SHIM), "--home", str(folder)]
        synced = ["+sync", str(folder / "block"), "/bin/true"]
        judged, base, true = columns(folder, event("PreToolUse"), [shim, synced, ["/bin/true"]])
        observed, plain = columns(folder, event("PostToolUse"), [shim, ["/bin/true"]])
    middle = statistics.median
    note("spawn /bin/true, p50", middle(true), "us")
    note("spawn /bin/true + 4 KB write + fdatasync, p50", middle(base), "us")
    note("judged: shim, 100 rules, durable entry, answer, p50", middle(judged), "us")
    note("judged, p99", p99(judged), "us")
    note("observed, p50", middle(observed), "us")
    return [
        row("judged p50 against true + sync", middle(judged) / middle(base), 1.3, "x"),
        row("judged p99 against true + sync", p99(judged) / middle(base), 4, "x"),
        row("observed p50 against spawn /bin/true", middle(observed) / middle(plain), 1.2, "x"),
    ]


def burst(folder: Path, places: Places, calls: int, how: str, *, name: str = "PreToolUse") -> list[float]:
    """Seconds for so many calls of many clients, and the p50 and p99 of one; fails when one is lost."""
    frame = folder / "frame"
    payload = event(name, "bench-######")
    frame.write_bytes(encode_call(Call(host="claude-code", shim="bench", payload=payload, home=places.home)))
    program = build(folder, "clients")
    command = [program, str(places.socket), str(CLIENTS), str(calls), how, str(frame)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(number) for number in printed.split()]


def count_recorded(places: Places) -> int:
    """How many decisions the ledger holds; fails when the chain does not."""
    with closing(open_to_read(places.database)) as connection:
        assert verify(connection).broken is None
        found: int = connection.execute("SELECT count(*) FROM ledger WHERE op = 'decision'").fetchone()[0]
    return found


def is_ordered(places: Places) -> bool:
    """Whether each session's calls stand in the order their numbers were given out."""
    use_id = "payload ->> '$.body.tool_use_id'"
    query = f"SELECT session_id, {use_id} FROM ledger WHERE event = 'PreToolUse' ORDER BY seq"
    last: dict[str, str] = {}
    with closing(open_to_read(places.database)) as connection:
        for session, number in connection.execute(query):
            if last.get(session, "") >= number:
                return False
            last[session] = number
    return True


def throughput() -> list[bool]:
    """Durable events a second, with 64 clients at once: the best of some tries, each of them printed.

    Other guests of the machine take from a try and never add to it.
    """
    held = []
    for how, bar in (("kept", 10_000), ("fresh", 8_000)):
        tries = [try_throughput(how) for _ in range(TRIES)]
        held.append(row(f"64 clients, {how} connections, durable", max(tries), bar, "/s", at_least=True))
    return held


def try_throughput(how: str) -> float:
    """One try, in a home of its own."""
    note("the machine at this moment: 1,000,000 additions", pace(), "ms")
    with home() as (folder, places):
        pid = start(places)["pid"]
        burst(folder, places, 2_000, "kept", name="PostToolUse")  # its own ids, so that none is known
        before = processor_time(pid)
        seconds, middle, tail = burst(folder, places, BURST, how)
        busy = (processor_time(pid) - before) / BURST
        time.sleep(0.2)
        assert count_recorded(places) == BURST + 2_000, "an event is lost"
        assert is_ordered(places), "an order is lost"
    note(f"64 clients, {how} connections, one call p50", middle, "us")
    note(f"64 clients, {how} connections, one call p99", tail, "us")
    note(f"64 clients, {how} connections, processor time of the daemon a call", busy, "us")
    note(f"64 clients, {how} connections, this try", BURST / seconds, "/s")
    return BURST / seconds


def cold_start() -> list[bool]:
    """From nothing to the first answer: the shim starts the daemon."""
    payload = event("PreToolUse")

    def once(folder: Path) -> float:
        begun = time.perf_counter()
        subprocess.run([SHIM, "--home", folder], input=payload, check=True, capture_output=True)
        return time.perf_counter() - begun

    first, later = [], []
    for _ in range(COLD):
        with home() as (folder, places):
            first.append(once(folder))
            stop(places)
            later.append(once(folder))
    return [
        row("cold start to first answer, new home", statistics.median(first) * 1000, 250, "ms"),
        row("cold start to first answer, home in use", statistics.median(later) * 1000, 250, "ms"),
    ]


def memory(events: int) -> list[bool]:
    """What the daemon holds after so many events."""
    with home() as (folder, places):
        pid = start(places)["pid"]
        half = events // 2
        burst(folder, places, half, "kept")
        note(f"resident memory after {half:,} events", resident(pid), "MB")
        burst(folder, places, events - half, "kept", name="PostToolUse")
        assert request(places.socket, "status")["events"] == events
        return [row(f"resident memory after {events:,} events", resident(pid), 100, "MB")]


def processor_time(pid: int) -> float:
    """Microseconds a process has run, which say more than the clock while others use the machine."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1_000


def resident(pid: int) -> float:
    """Megabytes a process has in memory."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / MEGA for line in lines if line.startswith("VmRSS"))


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=200_000, help="events before memory is read")
    events = options.parse_args().events
    held = [*round_trips(), *throughput(), *cold_start(), *memory(events)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
