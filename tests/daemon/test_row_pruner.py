"""What is kept beside the ledger goes with the ledger's oldest entries."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from interlock.daemon.row_pruner import RowPruner
from interlock.features.work.store import WorkStore
from interlock.ledger.writer import LedgerWriter
from interlock.policy.settings.ledger import Retention
from interlock.store.clock import timestamp
from interlock.store.database import open_database

DAY = 86_400.0
NOW = 1_767_225_600.0  # 2026-01-01
MONTH = Retention(seconds=30 * DAY, size=None)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_database(tmp_path / "state" / "interlock.db")) as connection:
        yield connection


@pytest.fixture
def ledger(database: sqlite3.Connection) -> LedgerWriter:
    return LedgerWriter(database)


def row_pruner(database: sqlite3.Connection, ledger: LedgerWriter) -> tuple[RowPruner, list[str]]:
    asked: list[str] = []

    def forget(before: str, most: int) -> int:
        asked.append(before)
        return most if len(asked) < 3 else 0

    return RowPruner(database, ledger, forget, "old things", lambda: NOW), asked


def test_it_goes_by_the_age_of_the_rule(database: sqlite3.Connection, ledger: LedgerWriter) -> None:
    """Without an age nothing goes, as long as the ledger is whole."""
    pruner, _ = row_pruner(database, ledger)
    ledger.append("decision", "a", "", {})
    ledger.flush()

    assert pruner.before(MONTH) == timestamp(NOW - 30 * DAY)
    assert pruner.before(Retention(seconds=None)) is None


def test_where_the_ledger_began_anew_it_goes_by_its_first_entry(
    database: sqlite3.Connection, ledger: LedgerWriter
) -> None:
    """By its size or a person's word; the later of both counts."""
    for number in range(4):
        ledger.append("decision", "a", "", {"number": number})
    ledger.flush()
    first = database.execute("SELECT ts FROM ledger WHERE seq = 3").fetchone()[0]
    moved = "UPDATE ledger_base SET seq = 2, entry = 4, signature = 'x'"
    database.execute(moved)
    pruner, _ = row_pruner(database, ledger)

    assert pruner.before(Retention(seconds=None)) == first
    assert pruner.before(MONTH) == max(first, timestamp(NOW - 30 * DAY))


async def test_it_looks_until_nothing_is_left_and_asks_nobody_without_a_rule(
    database: sqlite3.Connection, ledger: LedgerWriter
) -> None:
    """A policy that cannot be used removes nothing."""
    pruner, asked = row_pruner(database, ledger)
    rules: list[Retention | None] = [None, None, MONTH]
    looks = 0

    def rule() -> Retention | None:
        nonlocal looks
        looks += 1
        return rules[min(looks, len(rules)) - 1]

    watch = asyncio.create_task(pruner.watch(rule, seconds=0.001))
    for _ in range(5_000):
        await asyncio.sleep(0.001)
        if len(asked) >= 3:
            break
    watch.cancel()

    assert looks >= 3
    assert set(asked) == {timestamp(NOW - 30 * DAY)}


def test_while_something_waits_to_be_committed_nothing_goes(
    database: sqlite3.Connection, ledger: LedgerWriter
) -> None:
    """Its transaction is not ours to end."""
    pruner, asked = row_pruner(database, ledger)
    ledger.join()

    assert pruner.step(timestamp(NOW)) == 0
    assert asked == []


async def test_what_was_said_is_kept_as_long_as_the_ledger_keeps_its_entries(
    database: sqlite3.Connection, ledger: LedgerWriter
) -> None:
    """Older messages go, a hundred at a time; newer ones and the sessions stay."""
    work = WorkStore(database, ledger)
    pruner = RowPruner(database, ledger, work.messages.forget, "old messages", work.clock)
    session = work.sessions.start(host="claude-code", host_session_id="u-1", effort=None)
    old = timestamp(work.clock() - 40 * DAY)
    for _ in range(250):
        work.messages.add(session.id, "user", "old", timestamp=old)
    work.messages.add(session.id, "user", "new")
    watch = asyncio.create_task(pruner.watch(lambda: MONTH, seconds=0.001))
    for _ in range(5_000):
        await asyncio.sleep(0.001)
        if work.messages.count(session.id) == 1:
            break
    watch.cancel()

    assert [one.content for one in work.messages.of_session(session.id, 9)] == ["new"]
    assert work.sessions.get(session.id).host_session_id == "u-1"
