"""What a person has cancelled is known after a restart."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from interlock.features.gates.cancellations import EVERY, CancelledSessions
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A new database."""
    with closing(open_database(tmp_path / "state" / "interlock.db")) as connection:
        yield connection


def in_force(database: sqlite3.Connection, *sessions: str) -> list[bool]:
    """For each session whether something stands against it, for a daemon that starts now."""
    store = CancelledSessions(database, LedgerWriter(database), lambda: True)
    return [store.find(session) is not None for session in sessions]


@pytest.mark.req("U29")
def test_a_cancelled_session_stays_cancelled_until_it_is_let_go(database: sqlite3.Connection) -> None:
    """And no other session is meant."""
    store = CancelledSessions(database, LedgerWriter(database), lambda: True)
    store.cancel("s1", "human:ann", "wrong branch", hold=False)

    assert in_force(database, "s1", "s2") == [True, False]
    assert store.lift("s1", "human:ann")
    assert not store.lift("s1", "human:ann")
    assert in_force(database, "s1") == [False]


@pytest.mark.req("U29")
def test_of_all_sessions_each_is_let_go_alone(database: sqlite3.Connection) -> None:
    """One that goes on does not free the others, and a second request means it again."""
    store = CancelledSessions(database, LedgerWriter(database), lambda: True)
    store.cancel(EVERY, "human:ann", None, hold=False)
    store.lift("s1", "agent:main")

    assert in_force(database, "s1", "s2") == [False, True]
    store.cancel(EVERY, "human:ann", None, hold=True)
    assert in_force(database, "s1", "s2") == [True, True]
    assert [one.hold for one in store.all] == [True]
    assert store.lift(EVERY, "human:ann")
    assert in_force(database, "s1", "s2") == [False, False]


def test_what_is_old_and_not_held_is_forgotten(database: sqlite3.Connection) -> None:
    """A session that is taken up after a month begins anew."""
    store = CancelledSessions(database, LedgerWriter(database), lambda: True, clock=lambda: 1_000_000.0)
    store.cancel("s1", "human:ann", None, hold=False)
    store.cancel("s2", "human:ann", None, hold=True)

    assert in_force(database, "s1", "s2") == [False, True]
