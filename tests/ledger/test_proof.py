"""Laws of checkpoints: what somebody changed who can write everything but what was kept elsewhere."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest
from tests.ledger.records import record
from tests.ledger.signed import rewrite, sign_end

from interlock.errors import LedgerError
from interlock.ledger.ends import Checkpoint, read_checkpoint
from interlock.ledger.verify import verify
from interlock.ledger.writer import LedgerWriter


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """Where the signing key is."""
    return tmp_path / "signing.key"


@pytest.fixture
def kept(database: sqlite3.Connection, writer: LedgerWriter, key: Path) -> Checkpoint:
    """A checkpoint after ten of twenty entries, kept elsewhere."""
    record(writer, *range(10))
    made = sign_end(database, writer, key)
    record(writer, *range(9))
    return made


def found(connection: sqlite3.Connection, *kept: Checkpoint, keys: tuple[str, ...] = ()) -> tuple[int, str]:
    """The first bad place and what is said of it."""
    broken = verify(connection, checkpoints=kept, keys=keys).broken
    return (broken.seq, broken.what) if broken else (0, "")


def test_an_untouched_chain_is_the_one_that_was_signed(
    database: sqlite3.Connection, kept: Checkpoint
) -> None:
    """The checkpoint counts what there was, and holds."""
    assert (kept.seq, kept.entries) == (10, 10)
    assert found(database, kept, keys=(kept.key,)) == (0, "")


@pytest.mark.req("L02")
def test_an_entry_that_is_missing_before_a_checkpoint_is_told_as_that_one_alone(
    database: sqlite3.Connection, kept: Checkpoint
) -> None:
    """Whoever looks for what was taken out must not be told that all that follows is missing, too."""
    database.execute("DELETE FROM ledger WHERE seq = 7")

    assert found(database, kept) == (8, "gap: 7 missing before it")


@pytest.mark.req("L02")
@pytest.mark.parametrize(("left", "missing"), [(9, "10"), (5, "6 to 10")])
def test_a_cut_end_is_found_by_a_checkpoint_kept_elsewhere(
    database: sqlite3.Connection, kept: Checkpoint, left: int, missing: str
) -> None:
    """Without it the shorter chain holds; with it the first missing entry is named."""
    database.execute("DELETE FROM ledger WHERE seq > ?", (left,))

    assert found(database) == (0, "")
    assert found(database, kept) == (
        left + 1,
        f"end: {missing} missing, which the checkpoint of {kept.ts} lists",
    )


@pytest.mark.req("L03")
def test_a_chain_written_anew_is_found_by_a_checkpoint_kept_elsewhere(
    database: sqlite3.Connection, kept: Checkpoint
) -> None:
    """Every hash is right, and the entry is not the one that was signed."""
    database.execute("DELETE FROM ledger WHERE op = 'checkpoint'")
    database.execute("DELETE FROM ledger WHERE seq > 10")
    rewrite(database, 4)

    assert found(database) == (0, "")
    place, what = found(database, kept)
    assert place == 10
    assert "was rewritten" in what


@pytest.mark.req("L03")
def test_a_chain_written_anew_is_found_by_the_signature_inside_it(
    database: sqlite3.Connection, kept: Checkpoint
) -> None:
    """Whoever has the database and not the key cannot sign the new chain."""
    rewrite(database, 4)

    assert found(database)[0] == kept.seq


@pytest.mark.req("L03")
def test_of_two_faults_the_first_is_named(
    database: sqlite3.Connection, writer: LedgerWriter, kept: Checkpoint, key: Path
) -> None:
    """A broken link later does not hide an earlier entry that was signed otherwise."""
    later = sign_end(database, writer, key)
    rewrite(database, 4)
    database.execute("UPDATE ledger SET hash = zeroblob(32) WHERE seq = 15")

    assert found(database, later, kept)[0] == kept.seq


def test_a_checkpoint_of_another_ledger_or_key_proves_nothing(
    database: sqlite3.Connection, kept: Checkpoint
) -> None:
    """Each is said in its own words."""
    foreign = msgspec.structs.replace(kept, ledger="other")

    assert "signature is wrong" in found(database, foreign)[1]
    assert "another key" in found(database, kept, keys=("00" * 32,))[1]


def test_another_ledgers_checkpoint_is_told_apart(database: sqlite3.Connection, kept: Checkpoint) -> None:
    """A right signature about a chain that is not this one."""
    database.execute("UPDATE ledger_base SET ledger = 'copied elsewhere'")

    assert "another ledger" in found(database, kept)[1]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"format":"interlock-checkpoint/2"}', b"\xff"])
def test_what_is_no_checkpoint_is_said_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    """The file is named, and the command that writes one."""
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(LedgerError, match=r"is not a checkpoint.*ledger checkpoint"):
        read_checkpoint(path)
    with pytest.raises(LedgerError, match="cannot read the checkpoint"):
        read_checkpoint(tmp_path / "none")


def test_every_ledger_has_a_name_of_its_own(database: sqlite3.Connection, tmp_path: Path) -> None:
    """Made with the database, from chance."""
    from interlock.store.database import open_database  # noqa: PLC0415 - a second database, only here

    other = open_database(tmp_path / "other" / "interlock.db")
    names = {one.execute("SELECT ledger FROM ledger_base").fetchone()[0] for one in (database, other)}
    other.close()

    assert len(names) == 2
    assert all(len(name) == 32 for name in names)
