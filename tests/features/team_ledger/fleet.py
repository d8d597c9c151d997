"""A fleet: machines with ledgers of their own, and the one they ship to."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.features.team_ledger.cluster import ADMIN, Cluster

from interlock.features.team_ledger.postgres import connect
from interlock.features.team_ledger.reader import TeamEntry, TeamReader
from interlock.features.team_ledger.settings import TeamLedger
from interlock.features.team_ledger.shipper import Cursor, Shipper, ShippingPosition
from interlock.features.team_ledger.verify import TeamVerification, verify_team_ledger
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database, open_to_read


@dataclass(frozen=True, kw_only=True)
class Machine:
    """One machine: its database, and a writer whose clock is its own."""

    name: str
    path: Path
    connection: sqlite3.Connection
    writer: LedgerWriter

    def record(self, count: int = 1, **body: Any) -> None:
        """Record entries, one commit each."""
        for number in range(count):
            self.writer.append("step", "agent:main", "/w", {"number": number, "session_id": "s", **body})
            self.writer.flush()


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """A database on a server, whose connections end with the test."""

    server: Cluster
    name: str
    folder: Path
    ends: ExitStack

    def settings(self, machine: str, *, role: str = ADMIN) -> TeamLedger:
        """As a policy would have them."""
        return TeamLedger(url=self.server.url(self.name, role), machine=machine)

    def machine(self, name: str, clock: Callable[[], float] = time.time) -> Machine:
        """A machine with an empty ledger."""
        path = self.folder / name / "state" / "interlock.db"
        connection = self.ends.enter_context(closing(open_database(path)))
        return Machine(name=name, path=path, connection=connection, writer=LedgerWriter(connection, clock))

    def ship(
        self, machine: Machine, *, role: str = ADMIN, most: int = 7, name: str | None = None
    ) -> ShippingPosition:
        """Ship everything there is, in small groups."""
        settings = self.settings(name or machine.name, role=role)
        with closing(open_to_read(machine.path)) as local, closing(connect(settings, {})) as remote:
            shipper = Shipper(local, remote, settings.machine, most=most)
            standing = shipper.step(shipper.position())
            while standing.behind:
                standing = shipper.step(standing)
            return standing

    def entries(self) -> list[TeamEntry]:
        """Everything the fleet has, in order."""
        with closing(connect(self.settings("reader"), {})) as connection:
            return TeamReader(connection).after(0, limit=1_000_000)

    def verify(self, note: Cursor | None = None) -> TeamVerification:
        """Check all of it."""
        with closing(connect(self.settings("reader"), {})) as connection:
            return verify_team_ledger(connection, note)

    def sql(self, *texts: str, role: str = ADMIN) -> list[tuple[Any, ...]]:
        """Run statements by hand."""
        return self.server.sql(self.name, *texts, role=role)
