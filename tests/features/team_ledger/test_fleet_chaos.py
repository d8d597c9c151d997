"""The law of a server that is restarted again and again under load."""

from __future__ import annotations

import os
import random
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from tests.features.team_ledger.cluster import Cluster
from tests.features.team_ledger.fleet import Fleet
from tests.features.team_ledger.process import end, nudge, start

from interlock.features.team_ledger.postgres import connect, migrate_postgres
from interlock.ledger.verify import verify

pytestmark = pytest.mark.deep

# `make nightly` restarts it more often, with 5 to 40 seconds between.
RESTARTS = int(os.environ.get("INTERLOCK_TEST_RESTARTS", "6"))
SHORTEST, LONGEST = (
    float(word) for word in os.environ.get("INTERLOCK_TEST_RESTART_SECONDS", "0.3-1.5").split("-")
)
PATIENCE = 300.0


@pytest.mark.req("L05")
def test_a_server_restarted_again_and_again_gets_every_entry_once(
    own_server: Cluster, tmp_path: Path
) -> None:
    """Every other time it crashes: nothing is lost, nothing comes twice, recording never waits for it."""
    moments = random.Random(8)
    with ExitStack() as ends:
        fleet = Fleet(server=own_server, name=own_server.database(), folder=tmp_path, ends=ends)
        with closing(connect(fleet.settings("setup"), {})) as connection:
            migrate_postgres(connection)
        machines = [fleet.machine("a"), fleet.machine("b")]
        processes = [start(fleet, machine) for machine in machines]
        for process in processes:
            ends.callback(end, process)
        recorded = 0
        for number in range(RESTARTS):
            until = time.monotonic() + moments.uniform(SHORTEST, LONGEST)
            while time.monotonic() < until:
                for machine, process in zip(machines, processes, strict=True):
                    machine.record(text="x" * 300)
                    nudge(process)
                recorded += 1
                time.sleep(0.002)
            own_server.restart(crash=number % 2 == 0)
        wait_until_shipped(fleet, recorded * 2)

        for machine in machines:
            own = [entry.machine_seq for entry in fleet.entries() if entry.machine == machine.name]
            assert own == list(range(1, recorded + 1))
            assert verify(machine.connection).broken is None
        assert fleet.verify().broken is None
        assert [process.poll() for process in processes] == [None, None]


def wait_until_shipped(fleet: Fleet, count: int) -> None:
    """Wait until the processes have caught up by themselves."""
    until = time.monotonic() + PATIENCE
    while (found := int(fleet.sql("SELECT seq FROM interlock.ledger_head")[0][0])) < count:
        assert time.monotonic() < until, f"{found} of {count} arrived"
        time.sleep(0.1)
