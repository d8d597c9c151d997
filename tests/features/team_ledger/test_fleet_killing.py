"""Laws of a shipper that is killed: at every single step of its own, and at any moment."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.features.team_ledger.cluster import PATIENCE
from tests.features.team_ledger.fleet import Fleet, Machine
from tests.features.team_ledger.process import end, start

from interlock.features import team_ledger
from interlock.features.team_ledger.shipper import Job, ShippingStatus
from interlock.features.team_ledger.worker import Worker

pytestmark = pytest.mark.deep

ROOM = str(Path(str(team_ledger.__file__)).parent)
GROUP = 3
LONGEST = 3.0  # seconds of a round, however slow the machine is
MOST_STEPS = 2_000
ROUNDS = 25
EVERY = int(os.environ.get("INTERLOCK_TEST_FAULTS_EVERY", "3"))  # `make nightly` leaves out no step


class Killed:
    """Counts the lines of our own code that are run, and ends the process at one of them."""

    def __init__(self, at: int) -> None:
        self._left = at

    def __call__(self, frame: FrameType, event: str, _: Any) -> Killed | None:
        """Called for every function, and then for every line of those that are ours."""
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        if event == "line":
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def in_a_child(work: Callable[[], object]) -> int:
    """Run something in a copy of this process; gives how that ended, as `waitpid` does."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - nothing of the test may run on in the copy
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1]


def worked(fleet: Fleet, machine: Machine) -> None:
    """Ship as the real process does, until everything is shipped."""
    read, write = os.pipe()

    def tell(told: ShippingStatus) -> None:
        if told.state == "waiting":
            os.close(write)  # it takes that as its end
        assert told.error is None

    job = Job(database=str(machine.path), state=str(machine.path.parent), fleet=fleet.settings(machine.name))
    Worker(job, read, tell, environ={}).run()


@pytest.mark.req("L05")
def test_killed_at_any_step_every_entry_arrives_exactly_once(fleet: Fleet) -> None:
    """Killed at the n-th line, until a run passes untouched: no hole, and none twice."""
    machine = fleet.machine("a")
    total = untouched = 0
    for step in range(1, MOST_STEPS, EVERY):
        machine.record(GROUP)
        total += GROUP

        def work(step: int = step) -> None:
            sys.settrace(Killed(step))
            worked(fleet, machine)
            sys.settrace(None)

        ended = in_a_child(work)
        assert ended in {0, signal.SIGKILL}
        if ended == 0:
            untouched = step
            break
        fleet.ship(machine)

    assert untouched > 100
    assert [entry.machine_seq for entry in fleet.entries()] == list(range(1, total + 1))
    found = fleet.verify()
    assert (found.broken, found.entries) == (None, total)


def arrived(fleet: Fleet) -> int:
    """How many entries the fleet has."""
    return int(fleet.sql("SELECT seq FROM interlock.ledger_head")[0][0])


@pytest.mark.req("L05")
def test_killed_at_any_moment_every_entry_arrives_exactly_once(fleet: Fleet) -> None:
    """Two machines' processes are killed again and again while entries are recorded."""
    moments = random.Random(6)
    machines = [fleet.machine("a"), fleet.machine("b")]
    recorded = 0
    typical = 0.0  # seconds until the first entry has arrived, which differs much with the machine
    for _ in range(ROUNDS):
        processes = [start(fleet, machine) for machine in machines]
        began, part = time.monotonic(), moments.uniform(0.5, 1.5)
        while not typical or time.monotonic() < began + part * typical:
            for machine in machines:
                machine.writer.append("step", "agent:main", "/w", {"text": "x" * 500})
                machine.writer.flush()
            recorded += 1
            time.sleep(0.002)
            if not typical and arrived(fleet):
                typical = min(time.monotonic() - began, LONGEST)
            assert time.monotonic() < began + PATIENCE, "nothing arrives"
        for process in processes:
            end(process)
    before = len(fleet.entries())
    for machine in machines:
        fleet.ship(machine, most=500)
    found = fleet.entries()

    assert before > 0
    for machine in machines:
        own = [entry.machine_seq for entry in found if entry.machine == machine.name]
        assert own == list(range(1, recorded + 1))
    assert fleet.verify().broken is None
