"""A change and the entry that tells it are one: on the disk together, or neither."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.approvals.desk import ASK, PUSH, Desk, bash

from interlock.errors import LedgerError, StoreError

COUNT = "SELECT (SELECT count(*) FROM approvals), (SELECT count(*) FROM ledger)"


def seen(database: Path) -> tuple[int, int]:
    """How many requests and entries another process finds."""
    with closing(sqlite3.connect(database)) as other:
        found: tuple[int, int] = other.execute(COUNT).fetchone()
        return found


@pytest.mark.req("D01")
def test_a_request_is_there_with_its_entry_and_not_before(desk: Desk, database: Path) -> None:
    """Between asking and the flush nobody else sees either of them."""
    desk.tickets.settle(PUSH, ASK)
    between = seen(database)
    desk.ledger.flush()

    assert between == (0, 0)
    assert seen(database) == (1, 1)


@pytest.mark.req("D01", "D02")
def test_a_flush_that_fails_leaves_neither(desk: Desk, database: Path) -> None:
    """An entry that cannot be written takes the change with it; the next asking makes both."""
    desk.connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.ledger BEGIN SELECT raise(ABORT, 'x'); END"
    )
    desk.tickets.settle(PUSH, ASK)
    with pytest.raises(LedgerError):
        desk.ledger.flush()
    between = seen(database)
    desk.connection.execute("DROP TRIGGER full")
    desk.ask()

    assert between == (0, 0)
    assert seen(database) == (1, 1)


@pytest.mark.req("D02")
def test_a_yes_whose_use_cannot_be_recorded_is_not_used(desk: Desk) -> None:
    """It stays for the next try: nothing was let through."""
    desk.ask()
    desk.yes()
    desk.connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.ledger BEGIN SELECT raise(ABORT, 'x'); END"
    )
    with pytest.raises(LedgerError):
        desk.ask()

    assert desk.states() == ["approved"]


def test_a_change_that_fails_half_way_is_undone(desk: Desk) -> None:
    """What stands before the failure in one step goes with it; what others did in this turn stays."""
    desk.tickets.settle(PUSH, ASK)

    def fail() -> None:
        with desk.book.step():
            desk.connection.execute("UPDATE approvals SET reason = 'half'")
            desk.connection.execute("UPDATE nothing SET x = 1")

    with pytest.raises(StoreError, match="cannot ask for approval"):
        fail()
    desk.ledger.flush()

    assert desk.connection.execute("SELECT reason FROM approvals").fetchall() == [("is this wise?",)]


def test_an_engine_that_gave_up_the_transaction_is_noticed(desk: Desk, database: Path) -> None:
    """Entries whose change was undone behind our back are not written."""
    desk.tickets.settle(PUSH, ASK)
    desk.connection.execute("ROLLBACK")
    with pytest.raises(LedgerError, match="undid a change that belongs to these entries"):
        desk.ledger.flush()

    assert seen(database) == (0, 0)


def test_what_is_long_over_is_forgotten_but_not_its_number(desk: Desk) -> None:
    """After a month a request is in the ledger only; its name is never given again."""
    desk.now = 1_000_000_000.0
    desk.ask()
    desk.ask(bash("git push two"))
    desk.yes("ap_2", pattern=None)
    desk.now += 31 * 86_400
    desk.ask()
    desk.now += 31 * 86_400
    desk.ask()
    kept = [row[0] for row in desk.connection.execute("SELECT id FROM approvals ORDER BY id")]

    assert kept == [2, 4]
    assert "ap_1 expired" in desk.recorded()
