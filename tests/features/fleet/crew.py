"""Agents in a store, as their hooks would have left them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interlock.features.fleet.fleet import Fleet
from interlock.features.work.records import FleetRow, Session
from interlock.features.work.store import WorkStore
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


@dataclass(kw_only=True)
class Crew:
    """A database with agents in it; the clock stands where the test puts it."""

    database: Path
    now: float = 1_800_000_000.0

    @contextmanager
    def work(self) -> Iterator[WorkStore]:
        """The tables, in one transaction."""
        with closing(open_database(self.database, busy_seconds=20)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield WorkStore(connection, LedgerWriter(connection), clock=lambda: self.now)
            connection.execute("COMMIT")

    def agent(self, name: str, status: str, **seen: Any) -> None:
        """An agent whose hooks said so."""
        with self.work() as work:
            work.agents.register(name, **seen)
            work.agents.set_status(name, status)

    def look(self, name: str) -> None:
        """A person looks at it."""
        with self.work() as work:
            work.agents.check(name)

    def effort(self, name: str, skill: str, *, phase: str | None = None, folder: str = "/tmp") -> Session:
        """A session of an agent, at work on an effort of its own."""
        with self.work() as work:
            task = work.tasks.ensure(folder, work.projects.ensure(folder).id)
            effort = work.efforts.start(task.id, skill)
            if phase is not None:
                work.phases.enter(effort, phase)
            session = work.sessions.start(host="claude-code", host_session_id=name, effort=effort)
            work.agents.register(name, effort_id=effort.id, host_session_id=name)
        return session

    def rows(self) -> list[FleetRow]:
        """The fleet as the views read it."""
        with closing(Fleet(self.database)) as fleet:
            return fleet.rows()


def row(agent: str = "a", shown: str = "working", **fields: Any) -> FleetRow:
    """One agent, without a store."""
    order = ["error", "attention", "working", "unchecked", "checked", "done"]
    known: dict[str, Any] = dict.fromkeys(FleetRow.__struct_fields__)
    known |= {
        "agent": agent,
        "status": "done" if shown in {"unchecked", "gone"} else "attention" if shown == "checked" else shown,
        "shown": shown,
        "priority": 1 + order.index({"idle": "done", "gone": "error"}.get(shown, shown)),
        "manages": (),
    }
    return FleetRow(**(known | fields))


def patiently(reached: Any, what: str, seconds: float = 90.0) -> Any:
    """What something gives once it gives anything; fail when it never does."""
    end = time.monotonic() + seconds
    while not (found := reached()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:g} s in vain: {what}")
        time.sleep(0.02)
    return found
