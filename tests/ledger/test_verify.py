"""Laws of verifying: whatever was changed by hand is found, and the first place of it named."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.ledger.records import record, rows

from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter
from interlock.store.database import open_database


@pytest.fixture
def tampered(path: Path, writer: LedgerWriter) -> sqlite3.Connection:
    """A ledger of ten entries that somebody opens with another program."""
    record(writer, *range(1, 11))
    return sqlite3.connect(path, isolation_level=None)


def found(connection: sqlite3.Connection) -> tuple[int, str] | None:
    """The first bad place and the kind of damage."""
    with closing(connection):
        broken = verify(connection).broken
    return (broken.seq, broken.what) if broken else None


def test_an_untouched_chain_holds_to_its_end(database: sqlite3.Connection, writer: LedgerWriter) -> None:
    """All entries counted, and the head that may be kept elsewhere."""
    entries = record(writer, *range(600))
    told: list[int] = []

    result = verify(database, told.append)
    assert (result.entries, result.broken) == (600, None)
    assert result.head == (600, entries[-1].hash)
    assert told[-1] == 600


def test_an_empty_chain_holds(database: sqlite3.Connection) -> None:
    """Nothing recorded is nothing broken."""
    assert verify(database).entries == 0
    assert verify(database).broken is None


@pytest.mark.req("L01", "M74")
@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("id", "op_ffffffffffffffff"),
        ("op", "other"),
        ("ts", "1999-01-01T00:00:00.000Z"),
        ("actor", "human:me"),
        ("workspace", "/elsewhere"),
        ("session_id", "s9"),
        ("session_id", None),
        ("event", "Stop"),
        ("tool", "Read"),
        ("decision", "allow"),
    ],
)
def test_a_changed_column_is_found_though_the_hashes_hold(
    tampered: sqlite3.Connection, column: str, value: str | None
) -> None:
    """Every column is compared with the payload."""
    tampered.execute(f"UPDATE ledger SET {column} = ? WHERE seq = 6", (value,))

    assert found(tampered) == (6, f"column: {column} differs from the payload")


@pytest.mark.req("L01")
@pytest.mark.parametrize(
    ("change", "place", "kind"),
    [
        ("payload = replace(CAST(payload AS TEXT), '\"deny\"', '\"allow\"')", 6, "payload or hash"),
        ("payload = x''", 6, "hash"),
        ("hash = zeroblob(32)", 6, "hash"),
        ("prev_hash = zeroblob(32)", 6, "prev"),
        ("seq = 60", 7, "gap: 6 missing"),
    ],
)
def test_a_changed_record_or_hash_is_found(
    tampered: sqlite3.Connection, change: str, place: int, kind: str
) -> None:
    """The first bad entry is named, not only one that follows it."""
    change = change.replace("replace(", "CAST(replace(").replace("'\"allow\"')", "'\"allow\"') AS BLOB)")
    tampered.execute(f"UPDATE ledger SET {change} WHERE seq = 6")

    broken = found(tampered)
    assert broken is not None
    assert broken[0] == place
    assert kind in broken[1]


@pytest.mark.req("L03")
@pytest.mark.parametrize(
    ("harm", "place", "what"),
    [
        ("DELETE FROM ledger WHERE seq = 1", 2, "gap: 1 missing before it"),
        ("DELETE FROM ledger WHERE seq = 5", 6, "gap: 5 missing before it"),
        ("DELETE FROM ledger WHERE seq BETWEEN 4 AND 6", 7, "gap: 4 to 6 missing before it"),
    ],
)
def test_a_removed_entry_is_found(tampered: sqlite3.Connection, harm: str, place: int, what: str) -> None:
    """The gap is named with what is missing."""
    tampered.execute(harm)

    assert found(tampered) == (place, what)


@pytest.mark.req("L03")
def test_entries_in_another_order_are_found(tampered: sqlite3.Connection) -> None:
    """Two entries that change places break the chain at the first."""
    for old, new in ((4, 400), (5, 4), (400, 5)):
        tampered.execute("UPDATE ledger SET seq = ? WHERE seq = ?", (new, old))

    assert found(tampered) == (4, "prev: it does not follow the entry before it")


@pytest.mark.req("L03")
def test_an_entry_put_in_between_is_found(tampered: sqlite3.Connection) -> None:
    """Moving the rest up makes no room."""
    for seq in range(10, 4, -1):
        tampered.execute("UPDATE ledger SET seq = seq + 1 WHERE seq = ?", (seq,))
    tampered.execute(
        "INSERT INTO ledger SELECT 5, 'op_x', op, ts, actor, workspace, session_id, event, tool, "
        "decision, payload, prev_hash, hash FROM ledger WHERE seq = 4"
    )

    assert found(tampered) == (5, "prev: it does not follow the entry before it")


@pytest.mark.req("L03")
def test_a_payload_that_is_rehashed_but_no_record_is_found(
    database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """A right hash over the wrong thing is not an entry."""
    record(writer, 1)
    for forged in (b"garbage", b"{}", b'{"seq":1}', b"\xff"):
        hashed = hashlib.sha256(bytes(32) + forged).digest()
        database.execute("UPDATE ledger SET payload = ?, hash = ?", (forged, hashed))
        broken = verify(database).broken

        assert broken is not None
        assert broken.what == "payload: it is not a record"


@pytest.mark.req("L02")
def test_a_removed_end_leaves_a_chain_that_holds_but_ends_earlier(tampered: sqlite3.Connection) -> None:
    """Only a head kept elsewhere can tell, so verifying gives the head it reached."""
    kept = rows(tampered)[6]
    tampered.execute("DELETE FROM ledger WHERE seq > 7")
    with closing(tampered):
        result = verify(tampered)

    assert (result.entries, result.broken, result.head) == (7, None, (7, kept[3]))


def test_a_damaged_file_is_an_answer_and_no_crash(path: Path, database: sqlite3.Connection) -> None:
    """Pages overwritten with noise are reported as the place reading stopped."""
    record(LedgerWriter(database), *range(400))
    database.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xa5" * (size // 4))

    with closing(sqlite3.connect(path)) as connection:
        broken = verify(connection).broken
    assert broken is not None
    assert 0 < broken.seq <= 401


def test_verifying_does_not_stop_a_writer(
    path: Path, database: sqlite3.Connection, writer: LedgerWriter
) -> None:
    """What is written during the reading is not seen and does not fail."""
    record(writer, *range(600))
    with closing(open_database(path)) as other:
        late = LedgerWriter(other)

        result = verify(database, lambda count: record(late, count))
    assert (result.entries, result.broken) == (600, None)
    assert verify(database).entries > 600
