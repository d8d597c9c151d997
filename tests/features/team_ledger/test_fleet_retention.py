"""Laws of retention on a machine that ships: what the fleet does not have stays, within bounds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.features.team_ledger.fleet import Machine

from interlock.features.team_ledger.settings import TeamLedger
from interlock.features.team_ledger.shipper import Cursor, read_cursor, shipped_up_to, write_cursor
from interlock.ledger.retention import find_end, whole
from interlock.ledger.writer import LedgerWriter
from interlock.policy.settings.ledger import Retention
from interlock.store.database import open_database

NOW = 1_780_000_000.0
FLEET = TeamLedger(url="postgresql://a@b/c", machine="m")
NOTE = Cursor(
    url=FLEET.url,
    machine="m",
    ledger="1" * 32,
    seq=7,
    hash="0" * 64,
    fleet="2" * 32,
    fleet_seq=70,
    fleet_hash="0" * 64,
    ts="2026-01-31T12:00:00.000Z",
)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine with a thousand old entries of some size."""
    path = tmp_path / "state" / "interlock.db"
    with closing(open_database(path)) as connection:
        writer = LedgerWriter(connection, clock=lambda: NOW)
        for number in range(1_000):
            writer.append("step", "agent:main", "/w", {"number": number, "text": "x" * 4_000})
        writer.flush()
        yield Machine(name="m", path=path, connection=connection, writer=writer)


def last_to_go(machine: Machine, rule: Retention, shipped: int | None) -> tuple[int, str]:
    """The last entry a rule removes, and the rule in words; 0 when none goes."""
    found = whole(find_end(machine.connection, rule, NOW + 1_000, machine.writer.head, shipped))
    return (found[0].seq, found[1]) if found else (0, "")


def test_by_age_nothing_goes_that_the_fleet_does_not_have(machine: Machine) -> None:
    """However old it is."""
    rule = Retention(seconds=10.0, size=None)

    assert last_to_go(machine, rule, None)[0] == 1_000
    assert last_to_go(machine, rule, 400) == (400, "older than 10s")
    assert last_to_go(machine, rule, 0) == (0, "")


def test_by_size_it_goes_when_there_is_twice_as_much_as_allowed(machine: Machine) -> None:
    """A full disk would stop everything, so the fleet's share has a bound."""
    pages, size = (
        machine.connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size")
    )
    used = pages * size
    roomy, tight = Retention(seconds=None, size=used * 2 // 3), Retention(seconds=None, size=used // 4)

    assert last_to_go(machine, roomy, None)[0] > 0
    assert last_to_go(machine, roomy, 0) == (0, "")
    assert last_to_go(machine, roomy, 50)[0] == 50
    seq, words = last_to_go(machine, tight, 0)
    assert 0 < seq < last_to_go(machine, tight, None)[0]
    assert words.endswith("which the team ledger does not have yet")


def test_a_note_speaks_only_of_its_own_fleet_name_and_ledger(tmp_path: Path) -> None:
    """Whoever changes one of them has shipped nothing yet, as far as retention knows."""
    write_cursor(tmp_path, NOTE)
    other = TeamLedger(url="postgresql://a@b/d", machine="m")

    assert read_cursor(tmp_path) == NOTE
    assert shipped_up_to(tmp_path, FLEET, "1" * 32) == 7
    assert shipped_up_to(tmp_path, FLEET, "3" * 32) == 0
    assert shipped_up_to(tmp_path, other, "1" * 32) == 0
    assert shipped_up_to(tmp_path / "none", FLEET, "1" * 32) == 0


def test_a_note_that_cannot_be_read_keeps_everything(tmp_path: Path) -> None:
    """Half a file, or one that others could have written, is not a note."""
    write_cursor(tmp_path, NOTE)
    file = tmp_path / "fleet-ledger.json"
    file.chmod(0o666)
    assert shipped_up_to(tmp_path, FLEET, "1" * 32) == 0
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:40])
    assert shipped_up_to(tmp_path, FLEET, "1" * 32) == 0
