"""Laws of the fleet's schema: made by a person, in steps, the same however often."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest
from tests.features.team_ledger.fleet import Fleet

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.postgres import connect, migrate_postgres, schema_steps, schema_version
from interlock.store.migrations import Step

pytestmark = pytest.mark.deep


def columns(fleet: Fleet) -> list[str]:
    """The columns of the team ledger, in order."""
    query = (
        "SELECT column_name FROM information_schema.columns "
        "WHERE table_schema = 'interlock' AND table_name = 'ledger' ORDER BY ordinal_position"
    )
    return [str(row[0]) for row in fleet.sql(query)]


def test_the_columns_are_those_of_every_ledger_and_then_the_machines(fleet: Fleet) -> None:
    """Whoever knows one ledger knows the other."""
    machine = fleet.machine("a")
    own = [row[1] for row in machine.connection.execute("PRAGMA table_info(ledger)")]

    assert columns(fleet)[: len(own)] == own
    assert columns(fleet)[len(own) :] == [
        "machine",
        "machine_ledger",
        "machine_seq",
        "machine_hash",
        "missing",
        "received",
    ]


def test_the_steps_are_numbered_without_a_hole() -> None:
    """Each file is one step."""
    assert [step.number for step in schema_steps()] == list(range(1, len(schema_steps()) + 1))


def test_made_twice_or_by_two_at_once_it_is_made_once(bare: Fleet) -> None:
    """Whoever comes second finds nothing to do."""
    done: list[list[int]] = []

    def make() -> None:
        with closing(connect(bare.settings("m"), {})) as connection:
            done.append(migrate_postgres(connection))

    together = [threading.Thread(target=make) for _ in range(4)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()

    assert sorted(done) == [[], [], [], [step.number for step in schema_steps()]]


def test_a_step_that_fails_leaves_nothing(bare: Fleet) -> None:
    """All steps or none."""
    broken = Step(number=3, name="broken", sql="CREATE TABLE interlock.half (x INT); SELECT 1 / 0")
    with closing(connect(bare.settings("m"), {})) as connection:
        with pytest.raises(TeamLedgerError):
            migrate_postgres(connection, [*schema_steps(), broken])

        assert schema_version(connection) == 0


def test_a_database_without_it_says_what_to_run(bare: Fleet) -> None:
    """Nobody but a person makes it."""
    machine = bare.machine("a")
    machine.record()
    with pytest.raises(TeamLedgerError, match="run `interlock ledger team init`") as caught:
        bare.ship(machine)

    assert caught.value.lasting


def test_an_older_schema_is_refused_and_a_newer_one_used(fleet: Fleet) -> None:
    """Machines of a fleet are never updated at once."""
    machine = fleet.machine("a")
    machine.record()
    fleet.sql("INSERT INTO interlock.schema_steps (number, name) VALUES (99, 'later')")
    assert fleet.ship(machine).added == 1
    fleet.sql("DELETE FROM interlock.schema_steps WHERE number > 1")
    with pytest.raises(TeamLedgerError, match="was made by an older Interlock"):
        fleet.ship(machine)


def test_a_database_that_holds_no_utf_8_is_refused(fleet: Fleet) -> None:
    """What machines recorded would not fit into it."""
    name = f"{fleet.name}_latin"
    fleet.server.sql(
        "postgres", f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    settings = fleet.settings("m").__class__(url=fleet.server.url(name), machine="m")
    with (
        closing(connect(settings, {})) as connection,
        pytest.raises(TeamLedgerError, match="does not use UTF-8"),
    ):
        migrate_postgres(connection)
