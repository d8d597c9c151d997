"""Laws of shipping a machine's ledger to the fleet's."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest
from tests.features.team_ledger.fleet import Fleet, Machine

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.postgres import connect
from interlock.features.team_ledger.shipper import Shipper
from interlock.ledger.ends import Signer, make_removal, read_base
from interlock.ledger.retention import find_end, remove, whole
from interlock.ledger.verify import verify
from interlock.policy.settings.ledger import Retention
from interlock.store.clock import timestamp
from interlock.store.database import open_to_read

pytestmark = pytest.mark.deep

NOW = 1_780_000_000.0
APART = 300.0


@pytest.mark.req("L08")
def test_two_machines_with_clocks_apart_make_one_order_and_both_times_are_kept(fleet: Fleet) -> None:
    """Clocks five minutes apart: the order is the fleet's, each entry has its machine's time and ours."""
    ahead = fleet.machine("ahead", clock=lambda: NOW + APART)
    behind = fleet.machine("behind", clock=lambda: NOW)
    for number in range(3):
        for machine in (ahead, behind):
            machine.record(number=number)
            fleet.ship(machine)
    found = fleet.entries()

    assert [entry.seq for entry in found] == [1, 2, 3, 4, 5, 6]
    assert [(entry.machine, entry.machine_seq) for entry in found] == [
        (name, place) for place in (1, 2, 3) for name in ("ahead", "behind")
    ]
    assert [entry.ts for entry in found] == [timestamp(NOW + APART), timestamp(NOW)] * 3
    received = [entry.received for entry in found]
    # By one clock, which is neither machine's.
    assert received == sorted(received)
    assert not {timestamp(NOW), timestamp(NOW + APART)} & set(received)
    assert fleet.verify().broken is None
    for machine in (ahead, behind):
        assert verify(machine.connection).broken is None


def test_an_entry_arrives_as_it_was_written_to_the_byte(fleet: Fleet) -> None:
    """The machine's record stands in the fleet's unchanged, whatever characters it holds."""
    machine = fleet.machine("a")
    machine.record(tool="B\0ash", text='ü \U0001f600 \\ " \u2028', session_id="x" * 5_000)
    fleet.ship(machine)
    entry = fleet.entries()[0]
    own = machine.connection.execute("SELECT payload, hash FROM ledger").fetchone()

    assert own[0] in entry.payload
    assert entry.machine_hash == own[1]
    assert (entry.tool, entry.body["tool"]) == ("B\ufffdash", "B\0ash")
    assert fleet.verify().broken is None


def test_what_was_shipped_is_not_shipped_again(fleet: Fleet) -> None:
    """The next shipper goes on where the fleet has come to; shipping the same place twice adds nothing."""
    machine = fleet.machine("a")
    machine.record(20)
    assert fleet.ship(machine).at.seq == 20
    assert fleet.ship(machine).added == 0
    with closing(open_to_read(machine.path)) as local, closing(connect(fleet.settings("a"), {})) as remote:
        shipper = Shipper(local, remote, "a", most=100)
        before = shipper.position()
        machine.record(5)
        assert shipper.step(before).added == 5
        again = shipper.step(before)

    assert (again.added, again.at.seq) == (0, 25)
    assert [entry.machine_seq for entry in fleet.entries()] == list(range(1, 26))


def test_two_shippers_of_one_machine_lose_and_double_nothing(fleet: Fleet) -> None:
    """An old process that is still at it and a new one take turns at the same place."""
    machine = fleet.machine("a")
    machine.record(40)
    with (
        closing(open_to_read(machine.path)) as local,
        closing(connect(fleet.settings("a"), {})) as one,
        closing(connect(fleet.settings("a"), {})) as two,
    ):
        shippers = [Shipper(local, one, "a", most=3), Shipper(local, two, "a", most=5)]
        stands = [shipper.position() for shipper in shippers]
        for turn in range(40):
            stands[turn % 2] = shippers[turn % 2].step(stands[turn % 2])

    assert [entry.machine_seq for entry in fleet.entries()] == list(range(1, 41))
    assert fleet.verify().broken is None


def test_a_large_entry_goes_alone(fleet: Fleet) -> None:
    """Entries beyond the size of a group are shipped one by one, never left out."""
    machine = fleet.machine("a")
    machine.record(3, text="x" * 2_000)
    with closing(open_to_read(machine.path)) as local, closing(connect(fleet.settings("a"), {})) as remote:
        shipper = Shipper(local, remote, "a", size=1_000)
        standing = shipper.position()
        steps = []
        for _ in range(4):
            standing = shipper.step(standing)
            steps.append(standing.added)

    assert steps == [1, 1, 1, 0]


def prune(machine: Machine, fleet: Fleet) -> int:
    """Remove everything a machine has so far, as its daemon would; gives the last entry that went."""
    signer = Signer(fleet.folder / f"{machine.name}.key")
    rule = Retention(seconds=1.0, size=None)
    found = whole(find_end(machine.connection, rule, NOW * 2, machine.writer.head))
    assert found is not None
    removal = make_removal(read_base(machine.connection), found[0], found[1], timestamp(NOW), signer)
    entry = machine.writer.append("retention", "system", "", removal.document)
    machine.writer.flush()
    for _ in remove(machine.connection, entry.seq, removal):
        pass
    return removal.last


def test_what_was_removed_before_it_was_shipped_is_a_counted_gap(fleet: Fleet) -> None:
    """The fleet says how many are missing and why, and the chain goes on behind them."""
    machine = fleet.machine("a")
    machine.record(4)
    fleet.ship(machine)
    machine.record(6)
    last = prune(machine, fleet)
    machine.record(2)
    fleet.ship(machine)
    found = fleet.entries()
    gap = found[4]

    assert last == 10
    assert (gap.op, gap.machine_seq, gap.missing) == ("gap", 10, 6)
    assert {key: gap.body[key] for key in ("first", "last", "lost")} == {"first": 5, "last": 10, "lost": 6}
    assert [entry.machine_seq for entry in found] == [1, 2, 3, 4, 10, 11, 12, 13]
    result = fleet.verify()
    assert (result.broken, result.missing) == (None, 6)


def test_a_machine_that_joins_late_begins_with_a_gap(fleet: Fleet) -> None:
    """What retention removed before the first shipment is counted as missing, too."""
    machine = fleet.machine("a")
    machine.record(5)
    prune(machine, fleet)
    fleet.ship(machine)

    assert [(entry.op, entry.machine_seq, entry.missing) for entry in fleet.entries()] == [
        ("gap", 5, 5),
        ("retention", 6, 0),
    ]
    assert fleet.verify().broken is None


def test_a_ledger_that_was_restored_from_a_backup_is_refused(fleet: Fleet) -> None:
    """A machine whose chain no longer leads where the fleet has come to does not ship, under that name."""
    machine = fleet.machine("a")
    machine.record(6)
    fleet.ship(machine)
    machine.connection.execute("DELETE FROM ledger WHERE seq > 3")
    with pytest.raises(
        TeamLedgerError, match="entry 6 of this ledger differs from the team ledger's"
    ) as shorter:
        fleet.ship(machine)
    other = fleet.machine("a")  # the same database, opened anew: it goes on behind entry 3
    other.record(5)
    with pytest.raises(TeamLedgerError, match="entry 6 of this ledger differs from the team ledger's"):
        fleet.ship(other)

    assert shorter.value.lasting
    assert len(fleet.entries()) == 6
    assert fleet.ship(other, name="a-restored").at.seq == 8
    assert fleet.verify().broken is None


def test_the_server_itself_refuses_what_does_not_follow(fleet: Fleet) -> None:
    """Whatever a client sends: another entry at a place, a jump, or a hash that does not fit is not taken."""
    one, other = fleet.machine("a"), fleet.machine("b")
    one.record(4)
    other.record(4, number=7)
    fleet.ship(one)
    call = (
        "SELECT * FROM interlock.ship('a', '{ledger}', ARRAY[{seq}]::BIGINT[], ARRAY['i'], ARRAY['o'], "
        "ARRAY['t'], ARRAY['x'], ARRAY['w'], ARRAY[NULL]::TEXT[], ARRAY[NULL]::TEXT[], ARRAY[NULL]::TEXT[], "
        "ARRAY[NULL]::TEXT[], ARRAY['{{}}'::BYTEA], ARRAY[sha256('x')], ARRAY[0]::BIGINT[])"
    )
    ledger = fleet.entries()[0].machine_ledger
    for seq, state in ((3, "IL001"), (6, "IL002"), (5, "IL004")):
        with pytest.raises(psycopg.Error) as caught:
            fleet.sql(call.format(ledger=ledger, seq=seq))
        assert caught.value.sqlstate == state

    assert len(fleet.entries()) == 4


def test_a_machines_role_adds_and_can_do_nothing_else(fleet: Fleet) -> None:
    """It reads no other machine's entries, changes none, and cannot take another machine's name."""
    fleet.sql(f"CREATE ROLE {fleet.name}_one LOGIN", f"CREATE ROLE {fleet.name}_two LOGIN")
    for role in (f"{fleet.name}_one", f"{fleet.name}_two"):
        fleet.sql(f"SELECT interlock.let_ship('{role}')")
    machine, other = fleet.machine("a"), fleet.machine("b")
    machine.record(3)
    other.record(3)
    fleet.ship(machine, role=f"{fleet.name}_one")

    with pytest.raises(TeamLedgerError, match="belongs to another role"):
        fleet.ship(other, role=f"{fleet.name}_two", name="a")
    for text in (
        "SELECT * FROM interlock.ledger",
        "INSERT INTO interlock.machines SELECT * FROM interlock.machines",
        "UPDATE interlock.ledger_head SET seq = 0",
        "DELETE FROM interlock.ledger",
    ):
        with pytest.raises(psycopg.Error, match="permission denied"):
            fleet.sql(text, role=f"{fleet.name}_one")
    with pytest.raises(psycopg.Error, match="never changed or removed"):
        fleet.sql("DELETE FROM interlock.ledger")
    assert len(fleet.entries()) == 3
