"""Times the pack `baseline` on everyday Bash calls in process, on texts it has not seen before."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.figure import note, row
from tests.packs.corpus import corpus

from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.policy.load import load_policy

CALLS = 4_000
WARM = 1_000
MICRO = 1e6


def engine_with(packs: str) -> Engine:
    """An engine whose only file names these packs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "genesis.key"
        file.write_text(f'version: "2.0"\nsettings: {{packs: [{packs}]}}\n')
        policy = load_policy([(Layer.USER, file)], environ=os.environ)
    return Engine(policy.hooks, revision=policy.revision)


def commands(count: int, seed: int) -> list[str]:
    """Everyday commands, no two the same; each third begins in another folder, as agents like to."""
    words = random.Random(seed)
    everyday = [one.run for one in corpus("benign") if one.run]
    starts = ("# {:x}\n", "# {:x}\n", "cd part-{:x} && ")
    return [
        starts[number % len(starts)].format(words.randrange(10**9)) + words.choice(everyday)
        for number in range(count)
    ]


def timed(engine: Engine, texts: list[str]) -> list[float]:
    """Seconds per decision, in order of size."""

    async def run() -> list[float]:
        found = []
        for text in texts:
            call = ToolCall(name="Bash", input={"command": text})
            event = Event(name=EventName.PRE_TOOL_USE, cwd="/project", project="/project", tool=call)
            start = time.perf_counter()
            await engine.decide(event)
            found.append(time.perf_counter() - start)
        return sorted(found)

    return asyncio.run(run())


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    engine, bare = engine_with("baseline"), engine_with("")
    timed(engine, commands(WARM, 1))  # compiles the patterns; cold start is a figure of its own
    timed(bare, commands(WARM, 1))
    texts = commands(CALLS, 2)
    taken, without = timed(engine, texts), timed(bare, texts)
    note("a Bash call without any rule, p50", statistics.median(without) * MICRO, "us")
    note("with `baseline`, p90", taken[int(CALLS * 0.9)] * MICRO, "us")
    note("with `baseline`, p99 (asks git, or a condition)", taken[int(CALLS * 0.99)] * MICRO, "us")
    cost = statistics.median(taken) - statistics.median(without)
    return 0 if row("cost of `baseline` on a Bash PreToolUse, p50", cost * MICRO, 150, "us") else 1


if __name__ == "__main__":
    sys.exit(main())
