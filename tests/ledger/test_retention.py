"""Laws of retention: only the front goes, it is said first, and the rest verifies at every moment."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.ledger.records import record
from tests.ledger.signed import say_removal, sign_end

from interlock.errors import LedgerError
from interlock.ledger.ends import read_base
from interlock.ledger.entry import Head
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.retention import find_end, remove, unfinished_removal, whole
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.policy.settings.ledger import Retention

DAY = 86_400.0
START = 1_700_000_000.0


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Where the signing key is."""
    return tmp_path / "signing.key"


def removed(connection: sqlite3.Connection, writer: LedgerWriter, last: int, key: Path) -> None:
    """Take the front away."""
    for _ in remove(connection, *say_removal(connection, writer, last, key)):
        pass


def end_of(connection: sqlite3.Connection, writer: LedgerWriter, rule: Retention, now: float) -> object:
    """The last entry a rule removes, and why."""
    found = whole(find_end(connection, rule, now, writer.head))
    return (found[0].seq, found[1]) if found else None


@pytest.mark.req("L07")
def test_the_chain_verifies_from_what_was_signed_when_its_front_went(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """The removal is an entry of its own, and the rest hangs on it."""
    record(writer, *range(1500))
    removed(database, writer, 1100, key)

    result = verify(database)
    assert (result.broken, result.base.seq, result.entries) == (None, 1100, 401)
    said = LedgerReader(database).tail(1)[0]
    assert (said.op, said.body["first"], said.body["last"], said.body["count"]) == (
        "retention",
        1,
        1100,
        1100,
    )
    assert said.body["rule"] == "older than 30d"


@pytest.mark.req("L07")
def test_it_can_go_on_for_ever(database: sqlite3.Connection, writer: LedgerWriter, key: Path) -> None:
    """Each removal begins where the one before it ended, also over the entry about that one."""
    for round_ in range(1, 4):
        record(writer, *range(100))
        removed(database, writer, 100 * round_, key)
        assert verify(database).broken is None

    assert read_base(database).seq == 300


@pytest.mark.req("L07")
def test_at_every_step_of_a_removal_the_chain_verifies_and_the_next_start_goes_on(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """Ended after any step, as by a crash: what is there holds, and what is left to do is known."""
    record(writer, *range(700))
    assert unfinished_removal(database) is None
    entry, removal = say_removal(database, writer, 600, key)
    bases = [read_base(database).seq]
    while (left := unfinished_removal(database)) is not None:
        assert left == (entry, removal)
        assert verify(database).broken is None
        next(remove(database, *left))
        record(LedgerWriter(database), 1)
        bases.append(read_base(database).seq)

    assert bases[0] == 0
    assert bases[-1] == 600
    assert len(bases) > 5
    assert verify(database).broken is None


@pytest.mark.req("L07")
@pytest.mark.parametrize(
    "harm",
    [
        "DELETE FROM ledger WHERE seq <= 60",
        "DELETE FROM ledger WHERE op = 'retention'",
        "UPDATE ledger_base SET seq = 60, hash = (SELECT hash FROM ledger WHERE seq = 60)",
        "UPDATE ledger_base SET seq = 0, entry = NULL, signature = NULL",
        "UPDATE ledger_base SET hash = zeroblob(32)",
        "UPDATE ledger_base SET signature = 'forged'",
        "UPDATE ledger_base SET entry = 55",
        "UPDATE ledger_base SET ledger = 'other'",
        "DELETE FROM ledger_base",
    ],
)
def test_a_front_that_went_otherwise_is_found(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path, harm: str
) -> None:
    """Nobody can take entries away and move the beginning without the key."""
    record(writer, *range(100))
    removed(database, writer, 50, key)
    if "seq = 60" in harm:
        database.execute("UPDATE ledger_base SET hash = (SELECT hash FROM ledger WHERE seq = 60)")
        database.execute("UPDATE ledger_base SET seq = 60")
        database.execute("DELETE FROM ledger WHERE seq <= 60")
    else:
        database.execute(harm)

    assert verify(database).broken is not None


@pytest.mark.req("L07")
def test_checkpoints_across_a_removal_still_speak(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """One before the beginning has nothing to say, one at it and one after it are compared."""
    kept = []
    for _ in range(3):
        record(writer, *range(9))
        kept.append(sign_end(database, writer, key))
    removed(database, writer, kept[1].seq, key)

    assert verify(database, checkpoints=kept).broken is None
    database.execute("UPDATE ledger_base SET hash = zeroblob(32)")
    assert verify(database, checkpoints=kept[1:2]).broken is not None


def test_by_age_only_the_front_goes_even_when_the_clock_jumped(
    database: sqlite3.Connection,
) -> None:
    """An old time behind a young one stays: a hole would be no chain."""
    times = iter([START, START + DAY, START + 40 * DAY, START + 2 * DAY, START + 41 * DAY])
    writer = LedgerWriter(database, clock=lambda: next(times))
    record(writer, 1, 2, 3, 4, 5)
    rule = Retention(seconds=30 * DAY, size=None)

    assert end_of(database, writer, rule, START + 41 * DAY) == (2, "older than 30d")
    assert end_of(database, writer, rule, START + 5 * DAY) is None
    assert end_of(database, writer, Retention(seconds=None, size=None), START + 900 * DAY) is None


def test_by_size_the_oldest_go_until_the_rest_fits(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """A tenth more than must, so that not every look finds something."""
    for number in range(3_000):
        writer.append("decision", "a", "", {"session_id": "s", "x": "y" * 1_000, "n": number})
    writer.flush()
    rule = Retention(seconds=None, size=2 << 20)

    found = whole(find_end(database, rule, START, writer.head))
    assert found is not None
    assert found[1] == "more than 2MB"
    removed(database, writer, found[0].seq, key)
    assert 1_000 < writer.head.seq - read_base(database).seq < 2_000
    assert whole(find_end(database, rule, START, writer.head)) is None
    assert verify(database).broken is None


def test_what_finds_entries_goes_with_them(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """No mark of a block is left that holds nothing, and those that hold something still find it."""
    record(writer, *range(2_000))
    removed(database, writer, 1_100, key)

    assert database.execute("SELECT min(block) FROM ledger_blocks").fetchone()[0] == 1_101 // 512
    page = LedgerReader(database).page(Filter(session="s0"), limit=5_000)
    assert [entry.seq for entry in page][-1] in {1_101, 1_102}
    assert len(page) == 450


def test_room_that_was_freed_is_used_again(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """The file does not shrink, and does not grow either."""
    record(writer, *range(3_000))
    size = database.execute("PRAGMA page_count").fetchone()[0]
    removed(database, writer, 2_900, key)
    record(writer, *range(2_500))

    assert database.execute("PRAGMA page_count").fetchone()[0] <= size * 1.1


def test_a_removal_over_a_hole_stops_with_a_reason(
    database: sqlite3.Connection, writer: LedgerWriter, key: Path
) -> None:
    """What somebody took away by hand is not signed over."""
    record(writer, *range(10))
    said = say_removal(database, writer, 5, key)
    database.execute("DELETE FROM ledger WHERE seq <= 5")

    with pytest.raises(LedgerError, match="run `interlock ledger verify`"):
        next(remove(database, *said))


def test_an_empty_ledger_has_nothing_to_remove(database: sqlite3.Connection) -> None:
    """Whatever the rule."""
    assert whole(find_end(database, Retention(seconds=1, size=1 << 20), START, Head(0, bytes(32)))) is None
