"""Times what the pack `work` adds to a tool call, without an effort, with one, and in a long transcript."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench.figure import note, row

from interlock.engine.engine import Engine
from interlock.engine.pipeline import Pipeline
from interlock.events.event import Event
from interlock.events.hook import CallView, Layer
from interlock.events.tool import ToolCall
from interlock.events.verdict import Verdict
from interlock.features.work.dispatch import WorkHooks
from interlock.features.work.event_context import HandlerServices
from interlock.features.work.service import WorkService
from interlock.features.work.settings import WorkRules
from interlock.features.work.store import WorkStore
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.writer import LedgerWriter
from interlock.policy.hook_kind import HookServices
from interlock.policy.load import load_policy
from interlock.store.database import open_database

CALLS = 20_000
MICRO, MILLI = 1e6, 1e3
IDLE_US = 5  # "a few microseconds"
PIECE_MS = 20  # a call that reads on in a transcript
LINE = json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 900}}).encode() + b"\n"


class Book:
    """The handlers, lent to hooks as the daemon does."""

    def __init__(self, hooks: WorkHooks) -> None:
        self.hooks = hooks
        self.concerns = hooks.concerns

    def handle(self, view: CallView) -> Verdict:
        """Take notice of an event."""
        return self.hooks.handle(view)


def call(session: str, number: int, cwd: str, transcript: str = "", name: str = "PreToolUse") -> Event:
    """One call of a tool."""
    tool = ToolCall(name="Read", input={"file_path": "a.py"}, use_id=f"t{number}")
    return Event(name=name, session_id=session, cwd=cwd, tool=tool, transcript_path=transcript)


def micros(decide: Callable[[Event], object], events: list[Event]) -> float:
    """The median of batches, in microseconds of processor time a call."""

    def batch(part: list[Event]) -> float:
        start = time.process_time()
        for event in part:
            decide(event)
        return (time.process_time() - start) / len(part) * MICRO

    size = max(1, len(events) // 20)
    return statistics.median(batch(events[n : n + size]) for n in range(0, len(events), size))


def engine(folder: Path, packs: str, services: HookServices) -> Engine:
    """The engine of a user's policy."""
    file = folder / packs / "genesis.key"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f'version: "2.0"\nsettings: {{packs: [{packs}]}}\n')
    return Engine(
        load_policy([(Layer.USER, file)], environ={}, services=services).hooks, tools=CLAUDE_CODE_TOOLS
    )


def long_transcript(hooks: WorkHooks, folder: Path, megabytes: int) -> float:
    """The slowest of the calls that read on in a transcript of this size, in milliseconds."""
    path = folder / "long.jsonl"
    with path.open("wb") as file:
        for _ in range(megabytes):
            file.write(LINE * (1024 * 1024 // len(LINE)))
    look = Pipeline((), "", CLAUDE_CODE_TOOLS).view

    def once(number: int) -> float:
        start = time.process_time()
        for name in ("PreToolUse", "PostToolUse"):
            hooks.handle(look(call("u-1", 10**6 + number, str(folder), str(path), name)))
        return (time.process_time() - start) * MILLI

    return max(once(number) for number in range(20))


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    with tempfile.TemporaryDirectory() as name, closing(open_database(Path(name) / "s" / "i.db")) as database:
        folder = Path(name)
        work = WorkStore(database, ledger := LedgerWriter(database))
        hooks = WorkHooks(
            HandlerServices(work=work), lambda *_: WorkRules(), Pipeline((), "", CLAUDE_CODE_TOOLS).view
        )
        with work.step():
            task = work.tasks.ensure(name, work.projects.ensure(name).id)
            effort = work.efforts.start(task.id, "implement", metadata={"blockAfter": 10**9})
            work.sessions.start(host="claude-code", host_session_id="u-1", effort=effort)
        with_pack, without = (
            engine(folder, "work", HookServices({WorkService: Book(hooks)})),
            engine(folder, "", HookServices()),
        )
        idle = [call("idle", n, name) for n in range(CALLS)]
        busy = [call("u-1", n, name) for n in range(CALLS // 10)]
        with_pack.decide_sync(idle[0])
        bare = micros(without.decide_sync, idle)
        note("a call without the pack", bare, "us")
        added = micros(with_pack.decide_sync, idle) - bare
        held = [row("added in a session at work on nothing", added, IDLE_US, "us")]
        note("added in a session with an effort", micros(with_pack.decide_sync, busy) - bare, "us")
        slowest = long_transcript(hooks, folder, 200)
        held.append(row("a call and its end in a transcript of 200 MB", slowest, PIECE_MS, "ms"))
        ledger.append("work", "system", "", {"deed": "bench"})
        ledger.flush()
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
