"""Times the built-in hooks of a first day on Bash calls in process, also where they change something."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.baseline import CALLS, WARM, commands
from bench.figure import note, row

from interlock.engine.engine import Engine
from interlock.events.event import Event
from interlock.events.hook import Layer
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.policy.load import load_policy

MICRO = 1e6
POLICY = """
version: "2.0"
settings: {packs: [baseline, prompts]}
hooks:
  pre_tool_use:
    - {type: redirect}
"""


def first_day_engine(folder: Path) -> Engine:
    """The policy of somebody's first day."""
    file = folder / "genesis.key"
    file.write_text(POLICY)
    policy = load_policy([(Layer.USER, file)], environ=os.environ)
    return Engine(policy.hooks, revision=policy.revision)


def time_decisions(engine: Engine, texts: list[str], cwd: str) -> list[float]:
    """Seconds of this process per decision, in order of size."""
    seconds = []
    for text in texts:
        call = ToolCall(name="Bash", input={"command": text})
        event = Event(name=EventName.PRE_TOOL_USE, cwd=cwd, project=cwd, tool=call)
        start = time.process_time_ns()
        engine.decide_sync(event)
        seconds.append((time.process_time_ns() - start) / 1e9)
    return sorted(seconds)


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "Makefile").write_text("test:\n\tpytest $(ARGS)\n")
        engine = first_day_engine(folder)
        time_decisions(engine, commands(WARM, 1), name)
        plain = time_decisions(engine, commands(CALLS, 2), name)
        redirected = time_decisions(engine, [f"pytest -k case_{n}" for n in range(CALLS)], name)
        prompts = time_prompts(engine, name)
    note("a prompt with `nudge` and `local_context`, p50", statistics.median(prompts) * MICRO, "us")
    held = row("first-day hooks on a Bash PreToolUse, p50", statistics.median(plain) * MICRO, 300, "us")
    bar = row(
        "the same, where the command is redirected, p50", statistics.median(redirected) * MICRO, 300, "us"
    )
    return 0 if held and bar else 1


def time_prompts(engine: Engine, cwd: str) -> list[float]:
    """Seconds per prompt of some forty words."""
    seconds = []
    for number in range(WARM):
        text = f"please look at case {number} and tell me why the parser of numbers is so slow " * 2
        event = Event(name=EventName.USER_PROMPT_SUBMIT, session_id="s", cwd=cwd, prompt=text)
        start = time.process_time_ns()
        engine.decide_sync(event)
        seconds.append((time.process_time_ns() - start) / 1e9)
    return sorted(seconds)


if __name__ == "__main__":
    sys.exit(main())
