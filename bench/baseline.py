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
    everyday = [case.run for case in corpus("benign") if case.run]
    starts = ("# {:x}\n", "# {:x}\n", "cd part-{:x} && ")
    return [
        starts[number % len(starts)].format(words.randrange(10**9)) + words.choice(everyday)
        for number in range(count)
    ]


def time_decisions(engine: Engine, texts: list[str]) -> list[float]:
    """Seconds per decision, in order of size."""

    async def run() -> list[float]:
        seconds = []
        for text in texts:
            call = ToolCall(name="Bash", input={"command": text})
            event = Event(name=EventName.PRE_TOOL_USE, cwd="/project", project="/project", tool=call)
            start = time.perf_counter()
            await engine.decide(event)
            seconds.append(time.perf_counter() - start)
        return sorted(seconds)

    return asyncio.run(run())


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    engine, bare = engine_with("baseline"), engine_with("")
    time_decisions(engine, commands(WARM, 1))  # compiles the patterns; cold start is a figure of its own
    time_decisions(bare, commands(WARM, 1))
    texts = commands(CALLS, 2)
    with_pack, without = time_decisions(engine, texts), time_decisions(bare, texts)
    note("a Bash call without any rule, p50", statistics.median(without) * MICRO, "us")
    note("with `baseline`, p90", with_pack[int(CALLS * 0.9)] * MICRO, "us")
    note("with `baseline`, p99 (asks git, or a condition)", with_pack[int(CALLS * 0.99)] * MICRO, "us")
    cost = statistics.median(with_pack) - statistics.median(without)
    return 0 if row("cost of `baseline` on a Bash PreToolUse, p50", cost * MICRO, 150, "us") else 1


if __name__ == "__main__":
    sys.exit(main())
