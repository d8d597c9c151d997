"""Times `Engine.decide` in process against its bars, on texts it has not seen before."""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.figure import note, row
from tests.effects.oracle.corpus import load

from interlock.builtin_hooks.basic import Deny
from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.patterns.matcher import parse_matcher, parse_pattern
from interlock.permissions.judge import ActorEntry, GenesisEnforcement, PermissionTable

CALLS = 4_000
SHORTEST, LONGEST = 20, 200  # characters of an everyday command
MICRO = 1e6


def engine_with(patterns: int) -> Engine:
    """Ten hooks: one judges by permissions, nine deny by matcher; `patterns` globs in all."""
    names = random.Random(patterns)
    shapes = ("Bash({} *)", "Bash(* --{})", "Bash(sudo {} *)", "Bash(*{}*)")
    denied = tuple(
        parse_pattern(shapes[i % len(shapes)].format(f"p{names.randrange(10**9):x}"))
        for i in range(patterns - 12)
    )
    allowed = tuple(parse_pattern(text) for text in ("Bash(git *)", "Bash(npm *)", "Bash(make *)"))
    table = PermissionTable([ActorEntry(actor="agent:main", allow=allowed, deny=denied)])
    enforcement = Hook(
        name="enforcement",
        events=(EventName.PRE_TOOL_USE,),
        handler=GenesisEnforcement(table),
        matcher=parse_matcher("*"),
    )
    judges = [
        Hook(
            name=f"deny-{i}",
            events=(EventName.PRE_TOOL_USE,),
            handler=Deny("no"),
            matcher=parse_matcher(f"Bash(rm -rf /{i}*)"),
        )
        for i in range(9)
    ]
    return Engine([enforcement, *judges])


def commands(count: int, size: int) -> list[str]:
    """Different chains of everyday commands, up to `size` bytes each."""
    words = random.Random(size)
    programs = (
        "git commit -m 'fix {}'",
        "npm run build-{} --silent",
        "make test-{} V=1",
        "git log -n 5 --grep={}",
    )

    def chain() -> str:
        text = words.choice(programs).format(words.randrange(10**9))
        while len(text) < size * words.uniform(0.3, 0.9):
            text += words.choice((" && ", "; ", " | ")) + words.choice(programs).format(
                words.randrange(10**9)
            )
        return text[:size] if text[:size].count("'") % 2 == 0 else text[:size].replace("'", " ")

    return [chain() for _ in range(count)]


def everyday() -> list[str]:
    """Different everyday commands of 20 to 200 bytes, none of them twice."""
    texts = [line.text for line in load("benign")]
    lines = [text for text in texts if SHORTEST <= len(text) <= LONGEST and "\n" not in text]
    return [f"{line} # {turn}" for turn in range(CALLS // len(lines) + 1) for line in lines][:CALLS]


def time_decisions(engine: Engine, texts: list[str]) -> list[float]:
    """Seconds per decision, in order of size."""

    async def run() -> list[float]:
        seconds = []
        for text in texts:
            call = ToolCall(name="Bash", input={"command": text})
            event = Event(name=EventName.PRE_TOOL_USE, cwd="/", tool=call)
            start = time.perf_counter()
            await engine.decide(event)
            seconds.append(time.perf_counter() - start)
        return sorted(seconds)

    return asyncio.run(run())


def time_start(*command: str) -> float:
    """The median seconds it takes to run a program."""

    def once() -> float:
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    return statistics.median(once() for _ in range(15))


def decide_rows(p50: Callable[[list[float]], float]) -> list[bool]:
    """In-process figures."""
    few, many = engine_with(100), engine_with(10_000)
    short, long = commands(CALLS, 200), commands(40, 2_048)
    for engine in (few, many):
        time_decisions(engine, commands(50, 100))  # compiles the patterns; cold start is a figure of its own
    usual = time_decisions(few, everyday())
    small, large = time_decisions(few, short), time_decisions(many, short)
    slowest = time_decisions(many, long)[-1]
    note("10 hooks, 100 patterns, everyday commands, p99", usual[int(len(usual) * 0.99)] * MICRO, "us")
    note("10 hooks, 100 patterns, chains up to 200 bytes, p50", p50(small) * MICRO, "us")
    note("10 hooks, 100 patterns, chains up to 200 bytes, p99", small[int(CALLS * 0.99)] * MICRO, "us")
    return [
        row("10 hooks, 100 patterns, everyday commands, p50", p50(usual) * MICRO, 75, "us"),
        row("10,000 patterns against 100, same commands, p50", p50(large) / p50(small), 2, "x"),
        row("10,000 patterns, fresh 2 KB commands, worst of 40", slowest * 1000, 5, "ms"),
    ]


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    script = Path(sys.executable).with_name("interlock")
    extra = time_start(str(script), "--version") - time_start(sys.executable, "-c", "pass")
    held = decide_rows(statistics.median)
    held.append(row("`interlock --version` above `python -c pass`", extra * 1000, 100, "ms"))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
