"""Laws of verifying the team ledger: whatever is changed in Postgres is found, and its place is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.features.team_ledger.cluster import Cluster
from tests.features.team_ledger.fleet import Fleet, Machine

from interlock.features.team_ledger.postgres import connect, migrate_postgres
from interlock.features.team_ledger.shipper import Cursor
from interlock.ledger.ends import Signer, make_checkpoint, read_base
from interlock.store.clock import timestamp

pytestmark = pytest.mark.deep

NOW = 1_780_000_000.0
UNGUARDED = "ALTER TABLE interlock.ledger DISABLE TRIGGER ledger_is_kept"
# The whole chain written anew by somebody who may do everything, after `{change}` of one payload.
REWRITE = """
DO $$ DECLARE one RECORD; prior BYTEA := decode(repeat('00', 32), 'hex'); body BYTEA; BEGIN
FOR one IN SELECT * FROM interlock.ledger ORDER BY seq LOOP
    body := CASE WHEN one.seq = {seq} THEN convert_to({change}, 'UTF8') ELSE one.payload END;
    UPDATE interlock.ledger SET payload = body, prev_hash = prior, hash = sha256(prior || body)
    WHERE seq = one.seq;
    prior := sha256(prior || body);
END LOOP;
UPDATE interlock.ledger_head SET hash = prior;
END $$
"""


@pytest.fixture(scope="module")
def model(server: Cluster, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with ten entries of each of two machines, taking turns."""
    name = server.database()
    with ExitStack() as ends:
        fleet = Fleet(server=server, name=name, folder=tmp_path_factory.mktemp("machines"), ends=ends)
        with closing(connect(fleet.settings("setup"), {})) as connection:
            migrate_postgres(connection)
        machines = [fleet.machine("a"), fleet.machine("b")]
        for _ in range(5):
            for machine in machines:
                machine.record(2, tool="Bash")
                fleet.ship(machine)
    return name


@pytest.fixture
def shipped(server: Cluster, model: str, tmp_path: Path) -> Iterator[Fleet]:
    """A copy of it, to be tampered with."""
    with ExitStack() as ends:
        yield Fleet(server=server, name=server.database(model), folder=tmp_path, ends=ends)


def remembered(fleet: Fleet, seq: int) -> Cursor:
    """What a machine would have kept of an entry of the fleet."""
    entry = fleet.entries()[seq - 1]
    name = str(fleet.sql("SELECT ledger FROM interlock.ledger_head")[0][0])
    return Cursor(
        url="",
        machine=entry.machine,
        ledger=entry.machine_ledger,
        seq=entry.machine_seq,
        hash=entry.machine_hash.hex(),
        fleet=name,
        fleet_seq=entry.seq,
        fleet_hash=entry.hash.hex(),
        ts=timestamp(NOW),
    )


def test_an_untouched_ledger_holds_with_all_its_machines(shipped: Fleet) -> None:
    """Every entry is counted once, by machine."""
    found = shipped.verify(remembered(shipped, 20))

    assert (found.broken, found.entries, found.head.seq) == (None, 20, 20)
    assert found.machines == {"a": 10, "b": 10}
    assert found.witnessed == 20


@pytest.mark.parametrize(
    ("change", "seq", "what"),
    [
        ("UPDATE interlock.ledger SET actor = 'x' WHERE seq = 7", 7, "column: actor"),
        ("UPDATE interlock.ledger SET tool = NULL WHERE seq = 7", 7, "column: tool"),
        ("UPDATE interlock.ledger SET received = ts WHERE seq = 7", 7, "column: received"),
        ("UPDATE interlock.ledger SET ts = received WHERE seq = 7", 7, "column: ts"),
        ("UPDATE interlock.ledger SET machine = 'c' WHERE seq = 7", 7, "column: machine"),
        ("UPDATE interlock.ledger SET machine_seq = 99 WHERE seq = 7", 7, "column: machine_seq"),
        ("UPDATE interlock.ledger SET machine_hash = hash WHERE seq = 7", 7, "column: machine_hash"),
        ("UPDATE interlock.ledger SET missing = 1 WHERE seq = 7", 7, "column: missing"),
        ("UPDATE interlock.ledger SET payload = payload || ' ' WHERE seq = 7", 7, "hash:"),
        ("UPDATE interlock.ledger SET hash = sha256('x') WHERE seq = 7", 7, "hash:"),
        ("UPDATE interlock.ledger SET prev_hash = sha256('x') WHERE seq = 7", 7, "prev:"),
        ("DELETE FROM interlock.ledger WHERE seq = 7", 8, "gap: 7 to 7"),
        ("DELETE FROM interlock.ledger WHERE seq BETWEEN 1 AND 3", 4, "gap: 1 to 3"),
        ("DELETE FROM interlock.ledger WHERE seq > 15", 16, "end: the ledger's own end is entry 20"),
        ("DELETE FROM interlock.ledger", 1, "end:"),
        ("UPDATE interlock.machines SET seq = 9 WHERE machine = 'a'", 21, "end: the recorded end of a"),
        ("DELETE FROM interlock.machines WHERE machine = 'b'", 21, "end: the recorded end of b"),
        ("UPDATE interlock.ledger SET seq = seq + 100 WHERE seq > 10", 111, "gap: 11 to 110"),
    ],
)
def test_a_change_by_hand_is_found_at_its_place(shipped: Fleet, change: str, seq: int, what: str) -> None:
    """Verifying names the first entry that is not as it arrived."""
    shipped.sql(UNGUARDED, change)
    broken = shipped.verify().broken

    assert broken is not None
    assert broken.seq == seq
    assert broken.what.startswith(what)


def test_a_chain_that_was_written_anew_is_found_by_the_machines_own_chain(shipped: Fleet) -> None:
    """Whoever writes every hash of the fleet anew cannot give a machine's record another text."""
    change = "replace(convert_from(one.payload, 'UTF8'), 'Bash', 'Read')"
    shipped.sql(
        UNGUARDED,
        REWRITE.format(seq=7, change=change),
        "UPDATE interlock.ledger SET tool = 'Read' WHERE seq = 7",
    )
    broken = shipped.verify().broken

    assert broken is not None
    assert (broken.seq, broken.what) == (7, "machine: entry 3 of b is not in its own chain")


def test_a_time_that_was_written_anew_is_found_by_a_machine_that_remembers(shipped: Fleet) -> None:
    """When an entry arrived is the fleet's word alone: a machine's memory of a later entry is the witness."""
    note = remembered(shipped, 12)
    change = "replace(convert_from(one.payload, 'UTF8'), '\"received\":\"20', '\"received\":\"19')"
    column = "UPDATE interlock.ledger SET received = '19' || substr(received, 3) WHERE seq = 7"
    shipped.sql(UNGUARDED, REWRITE.format(seq=7, change=change), column)

    assert shipped.verify().broken is None
    broken = shipped.verify(note).broken
    assert broken is not None
    assert (broken.seq, broken.what.partition(":")[0]) == (12, "witness")


def test_an_end_that_was_cut_everywhere_is_found_by_a_machine_that_remembers(shipped: Fleet) -> None:
    """Whoever cuts the end and says so in every table is betrayed by any machine that knew it."""
    note = remembered(shipped, 20)
    shipped.sql(
        UNGUARDED,
        "DELETE FROM interlock.ledger WHERE seq > 16",
        "UPDATE interlock.ledger_head AS h SET seq = 16, hash = l.hash FROM interlock.ledger AS l "
        "WHERE l.seq = 16",
        "UPDATE interlock.machines AS m SET seq = l.machine_seq, hash = l.machine_hash "
        "FROM interlock.ledger AS l WHERE l.machine = m.machine AND l.machine_seq = 8",
    )

    assert shipped.verify().broken is None
    broken = shipped.verify(note).broken
    assert broken is not None
    assert (broken.seq, broken.what.partition(":")[0]) == (17, "end")


def test_another_ledger_at_the_same_address_is_found(shipped: Fleet) -> None:
    """A team ledger that was made anew is not the one this machine shipped to."""
    note = remembered(shipped, 20)
    shipped.sql("UPDATE interlock.ledger_head SET ledger = repeat('0', 32)")
    broken = shipped.verify(note).broken

    assert broken is not None
    assert broken.what.startswith("witness: this machine shipped to the team ledger")


def sign(machine: Machine, signer: Signer) -> None:
    """Record a checkpoint, as the daemon does."""
    made = make_checkpoint(read_base(machine.connection), machine.writer.head, timestamp(NOW), signer)
    machine.writer.append("checkpoint", "system", "", made.document)
    machine.writer.flush()


def test_what_a_machine_signed_must_hold_in_the_fleet(fleet: Fleet) -> None:
    """Its checkpoints are checked against its entries there."""
    machine = fleet.machine("a")
    machine.record(3)
    sign(machine, Signer(fleet.folder / "key"))
    machine.record(2)
    fleet.ship(machine)
    found = fleet.verify()

    assert (found.broken, found.checkpoints) == (None, 1)


def test_a_machine_that_signs_what_it_did_not_record_is_found(fleet: Fleet) -> None:
    """A checkpoint whose hash is not that of the entry it names breaks the ledger at the checkpoint."""
    machine = fleet.machine("a")
    machine.record(3)
    signer = Signer(fleet.folder / "key")
    false = machine.writer.head._replace(seq=2)
    made = make_checkpoint(read_base(machine.connection), false, timestamp(NOW), signer)
    machine.writer.append("checkpoint", "system", "", made.document)
    machine.writer.flush()
    fleet.ship(machine)
    broken = fleet.verify().broken

    assert broken is not None
    assert (broken.seq, broken.what.partition(":")[0]) == (4, "checkpoint")
