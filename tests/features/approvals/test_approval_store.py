"""A change and the entry that tells it are one: on the disk together, or neither."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.approvals.approval_setup import ASK, PUSH, ApprovalSetup, bash

from interlock.errors import LedgerError, StoreError

COUNT = "SELECT (SELECT count(*) FROM approvals), (SELECT count(*) FROM ledger)"


def seen(database: Path) -> tuple[int, int]:
    """How many requests and entries another process finds."""
    with closing(sqlite3.connect(database)) as other:
        found: tuple[int, int] = other.execute(COUNT).fetchone()
        return found


@pytest.mark.req("D01")
def test_a_request_is_there_with_its_entry_and_not_before(setup: ApprovalSetup, database: Path) -> None:
    """Between asking and the flush nobody else sees either of them."""
    setup.tickets.settle(PUSH, ASK)
    between = seen(database)
    setup.ledger.flush()

    assert between == (0, 0)
    assert seen(database) == (1, 1)


@pytest.mark.req("D01", "D02")
def test_a_flush_that_fails_leaves_neither(setup: ApprovalSetup, database: Path) -> None:
    """An entry that cannot be written takes the change with it; the next asking makes both."""
    setup.connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.ledger BEGIN SELECT raise(ABORT, 'x'); END"
    )
    setup.tickets.settle(PUSH, ASK)
    with pytest.raises(LedgerError):
        setup.ledger.flush()
    between = seen(database)
    setup.connection.execute("DROP TRIGGER full")
    setup.ask()

    assert between == (0, 0)
    assert seen(database) == (1, 1)


@pytest.mark.req("D02")
def test_a_yes_whose_use_cannot_be_recorded_is_not_used(setup: ApprovalSetup) -> None:
    """It stays for the next try: nothing was let through."""
    setup.ask()
    setup.yes()
    setup.connection.execute(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON main.ledger BEGIN SELECT raise(ABORT, 'x'); END"
    )
    with pytest.raises(LedgerError):
        setup.ask()

    assert setup.states() == ["approved"]


def test_a_change_that_fails_half_way_is_undone(setup: ApprovalSetup) -> None:
    """What stands before the failure in one step goes with it; what others did in this turn stays."""
    setup.tickets.settle(PUSH, ASK)

    def fail() -> None:
        with setup.book.step():
            setup.connection.execute("UPDATE approvals SET reason = 'half'")
            setup.connection.execute("UPDATE nothing SET x = 1")

    with pytest.raises(StoreError, match="cannot ask for approval"):
        fail()
    setup.ledger.flush()

    assert setup.connection.execute("SELECT reason FROM approvals").fetchall() == [("is this wise?",)]


def test_an_engine_that_gave_up_the_transaction_is_noticed(setup: ApprovalSetup, database: Path) -> None:
    """Entries whose change was undone behind our back are not written."""
    setup.tickets.settle(PUSH, ASK)
    setup.connection.execute("ROLLBACK")
    with pytest.raises(LedgerError, match="undid a change that belongs to these entries"):
        setup.ledger.flush()

    assert seen(database) == (0, 0)


def test_what_is_long_over_is_forgotten_but_not_its_number(setup: ApprovalSetup) -> None:
    """After a month a request is in the ledger only; its name is never given again."""
    setup.now = 1_000_000_000.0
    setup.ask()
    setup.ask(bash("git push two"))
    setup.yes("ap_2", pattern=None)
    setup.now += 31 * 86_400
    setup.ask()
    setup.now += 31 * 86_400
    setup.ask()
    kept = [row[0] for row in setup.connection.execute("SELECT id FROM approvals ORDER BY id")]

    assert kept == [2, 4]
    assert "ap_1 expired" in setup.recorded()
