"""What Interlock adds to a tool call of the real Claude Code, beside the cheapest hook there could be."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.figure import note
from clients.claude_code import run_claude
from clients.interlock_home import InterlockHome
from clients.turns import JsonObject, bash, say

CALLS = 25
ROUNDS = 5
EVENTS = ("PreToolUse", "PostToolUse")


def session(home: Path, settings: JsonObject | None) -> float:
    """Seconds one session with many tool calls takes."""
    with tempfile.TemporaryDirectory(prefix="project-") as project:
        turns = [bash(f"echo {number}") for number in range(CALLS)]
        start = time.perf_counter()
        run = run_claude(Path(project), home, [*turns, say("bye")], settings=settings)
        seconds = time.perf_counter() - start
    if run.exit_code != 0 or run.left:
        raise RuntimeError(f"the session went wrong: {run.stderr}")
    return seconds


def with_home(work: Callable[[Path], float]) -> float:
    """Run one session in a new home."""
    with tempfile.TemporaryDirectory(prefix="home-") as home:
        return work(Path(home))


def bare(home: Path) -> float:
    """No hook at all."""
    return session(home, None)


def cheapest(home: Path) -> float:
    """A shell that reads the event and forgets it, at the two moments around a tool call."""
    handler = {"type": "command", "command": "sh", "args": ["-c", "cat >/dev/null"]}
    return session(home, {"hooks": {event: [{"hooks": [handler]}] for event in EVENTS}})


def interlock(home: Path) -> float:
    """Interlock installed as a person installs it, with a policy of a few rules; the daemon is warm."""
    installed = InterlockHome(home=home)
    denied = [{"type": "deny", "matcher": f"Bash(never-{number} *)"} for number in range(100)]
    installed.policy(hooks={"pre_tool_use": denied})
    installed.install()
    try:
        installed.call("daemon", "start")
        return session(home, None)
    finally:
        installed.end()


def main() -> int:
    """Interleave the three and print the differences per tool call."""
    kinds = {"bare": bare, "cheapest": cheapest, "interlock": interlock}
    found: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, work in kinds.items():
            found[name].append(with_home(work))
    middle = {name: statistics.median(values) for name, values in found.items()}
    per_call = {name: (middle[name] - middle["bare"]) / CALLS * 1000 for name in middle}
    note("Claude Code, one tool call without hooks", middle["bare"] / CALLS * 1000, "ms")
    note("added by `sh -c 'cat >/dev/null'` at two moments", per_call["cheapest"], "ms")
    note("added by Interlock, all its moments, 100 rules, durable", per_call["interlock"], "ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
