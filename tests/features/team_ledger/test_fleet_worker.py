"""Laws of the process that ships: what it tells, what it remembers, how it waits."""

from __future__ import annotations

import os
import random
from collections.abc import Callable

import pytest
from tests.features.team_ledger.fleet import Fleet, Machine

from interlock.features.team_ledger.settings import TeamLedger
from interlock.features.team_ledger.shipper import Job, ShippingStatus, read_cursor
from interlock.features.team_ledger.worker import Worker

pytestmark = pytest.mark.deep


def run(
    machine: Machine, fleet: TeamLedger, done: Callable[[list[ShippingStatus]], bool]
) -> list[ShippingStatus]:
    """Let a worker work until what it told is enough; gives that."""
    read, write = os.pipe()
    heard: list[ShippingStatus] = []
    ended = False

    def tell(told: ShippingStatus) -> None:
        nonlocal ended
        heard.append(told)
        if not ended and done(heard):
            ended = True
            os.close(write)  # it takes that as its end

    job = Job(database=str(machine.path), state=str(machine.path.parent), fleet=fleet)
    try:
        Worker(job, read, tell, environ={}).run()
    finally:
        os.close(read)
    return heard


def rests(heard: list[ShippingStatus]) -> bool:
    """Whether it has nothing more to do."""
    return heard[-1].state == "waiting"


def test_it_tells_how_far_it_is_and_keeps_a_note_at_its_end(fleet: Fleet) -> None:
    """What it remembers is what the fleet confirmed."""
    machine = fleet.machine("a")
    machine.record(12)
    told = run(machine, fleet.settings("a"), rests)[-1]
    note = read_cursor(machine.path.parent)
    last = fleet.entries()[-1]

    assert (told.shipped, told.fleet_seq, told.error) == (12, 12, None)
    assert note is not None
    assert (note.seq, note.hash) == (12, last.machine_hash.hex())
    assert (note.fleet_seq, note.fleet_hash, note.fleet) == (12, last.hash.hex(), told.fleet)
    assert fleet.verify(note).witnessed == 12


def test_a_server_that_forgot_is_an_alarm_and_gets_everything_again(fleet: Fleet) -> None:
    """Restored from a backup, it has less than it had confirmed."""
    machine = fleet.machine("a")
    machine.record(5)
    run(machine, fleet.settings("a"), rests)
    fleet.sql(
        "ALTER TABLE interlock.ledger DISABLE TRIGGER ledger_is_kept",
        "DELETE FROM interlock.ledger WHERE seq > 2",
        "UPDATE interlock.ledger_head AS h SET seq = 2, hash = l.hash FROM interlock.ledger AS l "
        "WHERE l.seq = 2",
        "UPDATE interlock.machines AS m SET seq = 2, hash = l.machine_hash FROM interlock.ledger AS l "
        "WHERE l.seq = 2",
    )
    heard = run(machine, fleet.settings("a"), rests)

    [alarm] = [told.alarm for told in heard if told.alarm]
    assert "lost entries 3 to 5 of this machine, which it had confirmed" in alarm
    assert [entry.machine_seq for entry in fleet.entries()] == [1, 2, 3, 4, 5]
    assert fleet.verify().broken is None


def test_trouble_is_told_with_when_it_began_and_waited_out_longer_each_time(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that is away is asked less and less often, within bounds."""
    machine = fleet.machine("a")
    waits: list[float] = []

    def pause(self: Worker, seconds: float) -> None:
        waits.append(seconds)
        self._wait(0)

    monkeypatch.setattr(random, "uniform", lambda low, high: high)
    monkeypatch.setattr(Worker, "_pause", pause)
    nowhere = TeamLedger(url=f"postgresql://a@/b?host={machine.path.parent}", machine="a")
    heard = run(machine, nowhere, lambda heard: len(heard) == 9)

    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert {told.state for told in heard} == {"trouble"}
    assert len({told.since for told in heard}) == 1
    assert not any(told.alarm for told in heard)


def test_what_a_person_must_mend_is_one_alarm_however_often_it_is_tried(
    bare: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same refusal is not recorded again."""
    machine = bare.machine("a")
    monkeypatch.setattr(Worker, "_pause", lambda self, seconds: self._wait(0))
    heard = run(machine, bare.settings("a"), lambda heard: len(heard) == 4)

    assert [told.state for told in heard] == ["stopped"] * 4
    assert [bool(told.alarm) for told in heard] == [True, False, False, False]


def test_a_defect_is_told_by_its_place_and_ends_the_process(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon starts it anew; what the defect quotes stays where it was."""
    machine = fleet.machine("a")
    heard: list[ShippingStatus] = []

    def broken(self: Worker) -> None:
        raise KeyError("something that was shipped")

    monkeypatch.setattr(Worker, "_ship", broken)
    job = Job(database=str(machine.path), state=str(machine.path.parent), fleet=fleet.settings("a"))
    with pytest.raises(KeyError):
        Worker(job, 0, heard.append, environ={}).run()

    assert (heard[-1].error or "").startswith("KeyError at broken, line ")
