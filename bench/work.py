"""Times the state of the work with many sessions and messages: what people list and what hooks look up."""

from __future__ import annotations

import argparse
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bench.figure import note, row

from interlock.engine.pipeline import Pipeline
from interlock.features.fleet.cli_text import fleet_lines
from interlock.features.fleet.fleet import Fleet
from interlock.features.work.dispatch import WorkHooks
from interlock.features.work.event_context import HandlerServices
from interlock.features.work.rpc_views import (
    as_plain,
    effort_details,
    effort_row,
    session_details,
    session_row,
    task_details,
)
from interlock.features.work.settings import WorkRules
from interlock.features.work.store import WorkStore
from interlock.hosts.claude_code.tools import CLAUDE_CODE_TOOLS
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database

CEILING_MS = 50
MILLI = 1e3
TASKS, EFFORTS = 50, 250
TEXT = "the tests of the cart pass now; guests have none, so their total was never asked for. " * 6


def fill(work: WorkStore, ledger: LedgerWriter, folder: Path, sessions: int, messages: int) -> None:
    """A project that was worked on for months."""
    with work.step():
        project = work.projects.ensure(str(folder))
        tasks = [work.tasks.ensure(str(folder / f"task{number}"), project.id) for number in range(TASKS)]
        efforts = [
            work.efforts.start(tasks[number % TASKS].id, "implement", metadata={"blockAfter": 12})
            for number in range(EFFORTS)
        ]
        for number in range(sessions):
            effort = efforts[number % EFFORTS]
            session = work.sessions.start(
                host="claude-code",
                host_session_id=f"window-{number:06d}",
                effort=effort,
                transcript_path=str(folder / "none.jsonl"),
            )
            work.agents.register(
                f"agent-{number}", effort_id=effort.id, host_session_id=session.host_session_id
            )
            work.agents.set_status(f"agent-{number}", ("working", "done", "attention")[number % 3])
            work.sessions.dehydrate(session.id, {"summary": TEXT})
            # One session has a tenth of everything that was ever said.
            share = messages // 10 if number == 0 else (messages - messages // 10) // (sessions - 1)
            said = [("assistant", f"{one} {TEXT}", None, None) for one in range(share)]
            work.messages.add_many(session.id, said)
        for effort in efforts[: EFFORTS // 2]:
            work.efforts.finish(effort.id, ["cart"])
        ledger.append("work", "system", "", {"deed": "bench"})
    ledger.flush()


def looks(work: WorkStore, folder: Path) -> list[tuple[str, Callable[[], object]]]:
    """Everything that is asked for at once, with all that is made of it."""
    effort = work.efforts.listed(active=True)[0]
    project = work.projects.ensure(str(folder))
    task = work.tasks.get(effort.task_id)
    first, last = work.sessions.listed(most=10_000)[-1], work.sessions.listed(most=1)[0]
    return [
        ("session show, the one with most messages", lambda: session_details(work, first, 10)),
        ("session show, the newest", lambda: session_details(work, last, 10)),
        ("session list of 1,000", lambda: [session_row(one) for one in work.sessions.listed()]),
        ("open sessions of the project", lambda: work.sessions.listed(project_id=project.id, open_only=True)),
        ("effort list of 250", lambda: [effort_row(work, one) for one in work.efforts.listed()]),
        ("effort show", lambda: effort_details(work, effort)),
        ("task list", lambda: work.tasks.listed(project.id)),
        ("task show", lambda: task_details(work, task)),
        ("agents, 1,000 of them (fleet)", lambda: [as_plain(one) for one in work.agents.listed()]),
        ("messages, the last 50", lambda: work.messages.of_session(first.id, 50)),
        ("messages, 50 from the middle", lambda: work.messages.of_session(first.id, 50, before=5_000)),
        ("messages of an effort", lambda: work.messages.of_effort(effort.id, 50)),
        ("a session by the beginning of its name", lambda: work.sessions.find_all("window-0005")),
        ("where an event belongs", lambda: work.resolve(str(folder), None, last.host_session_id)),
        ("where a new window belongs", lambda: work.resolve(str(folder), None, "new")),
    ]


def session_start(work: WorkStore, folder: Path) -> Callable[[], object]:
    """`hooks.sessionStart` of one more window each time."""
    revision = Pipeline((), "", CLAUDE_CODE_TOOLS)
    hooks = WorkHooks(HandlerServices(work=work), lambda *_: WorkRules(), revision.view)
    names = iter(range(1_000_000))

    def once() -> object:
        given = {"session_id": f"new-{next(names)}", "cwd": str(folder), "transcript_path": ""}
        return hooks.ask(
            "SessionStart", {**given, "hook_event_name": "SessionStart", "source": "startup"}, {}
        )

    return once


def drawn(database: Path) -> Callable[[], object]:
    """The whole table of `interlock fleet --all`, as a command makes it."""

    def once() -> object:
        with closing(Fleet(database)) as fleet:
            rows = fleet.rows()
        return fleet_lines(rows, hidden=0, now=time.time(), width=80)

    return once


def slowest(look: Callable[[], object], times: int = 5) -> float:
    """The slowest of a few, in milliseconds of processor time."""

    def once() -> float:
        start = time.process_time()
        look()
        return (time.process_time() - start) * MILLI

    return max(once() for _ in range(times))


def measured(connection: sqlite3.Connection, folder: Path, sessions: int, messages: int) -> list[bool]:
    """Fill a new database and print every figure."""
    ledger = LedgerWriter(connection)
    work = WorkStore(connection, ledger)
    start = time.process_time()
    fill(work, ledger, folder, sessions, messages)
    note("filled, by processor time", messages / (time.process_time() - start), "rows/s")
    held = [row(what, slowest(look), CEILING_MS, "ms") for what, look in looks(work, folder)]
    held.append(row("hooks.sessionStart", slowest(session_start(work, folder)), CEILING_MS, "ms"))
    fleet = drawn(folder / "state" / "interlock.db")
    held.append(row("interlock fleet: opened, read and drawn", slowest(fleet), CEILING_MS, "ms"))
    session = work.sessions.listed(most=1)[0]
    beats = iter(range(1_000_000))
    with work.step():
        start = time.process_time()
        for _ in range(1_000):
            work.sessions.beat(session.id, f"t{next(beats)}")
        note("one heartbeat", (time.process_time() - start) * 1e3, "us")
    ledger.flush()
    return held


def main() -> int:
    """Print every figure; the exit code says whether all bars held."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--sessions", type=int, default=1_000)
    options.add_argument("--messages", type=int, default=100_000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "state" / "interlock.db"
        path.parent.mkdir(mode=0o700)
        with closing(open_database(path)) as connection:
            held = measured(connection, folder, given.sessions, given.messages)
        note("size of the database", path.stat().st_size / 1e6, "MB")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
