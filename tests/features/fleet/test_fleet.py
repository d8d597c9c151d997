"""Laws of reading who is at work."""

from __future__ import annotations

from contextlib import closing

import pytest
from tests.features.fleet.crew import Crew, row

from interlock.errors import StoreError
from interlock.features.fleet.fleet import Fleet, of_interest
from interlock.store.clock import timestamp


def test_before_the_first_event_there_is_nobody(crew: Crew) -> None:
    """A machine where nothing was recorded yet is not an error, and what comes later is seen."""
    with closing(Fleet(crew.database)) as fleet:
        before = fleet.rows()
        crew.agent("a", "working")

        assert before == []
        assert [one.agent for one in fleet.rows()] == ["a"]


def test_changes_are_seen_and_a_quiet_fleet_is_not_read_again(crew: Crew) -> None:
    """The same rows stay the same object until somebody writes."""
    crew.agent("a", "working")
    with closing(Fleet(crew.database)) as fleet:
        first, second = fleet.rows(), fleet.rows()
        crew.agent("a", "error")
        third = fleet.rows()

    assert second is first
    assert [one.shown for one in third] == ["error"]


@pytest.mark.req("E42", "X22")
def test_who_needs_a_person_stands_first(crew: Crew) -> None:
    """Also when it was heard of last; a look moves what waits behind those at work."""
    for name, status in [("e", "done"), ("c", "working"), ("b", "attention"), ("a", "error")]:
        crew.agent(name, status)
    before = [one.agent for one in crew.rows()]
    crew.look("b")

    assert before == ["a", "b", "c", "e"]
    assert [(one.agent, one.shown) for one in crew.rows()] == [
        ("a", "error"),
        ("c", "working"),
        ("e", "unchecked"),
        ("b", "checked"),
    ]


def test_an_agent_that_has_just_begun_is_there_before_it_does_anything(crew: Crew) -> None:
    """Idle from the moment it was seen first; to be seen again makes nobody younger."""
    for later in (0, 1_800):
        crew.now += later
        with crew.work() as work:
            work.agents.register("a")
        (one,) = of_interest(crew.rows(), crew.now)
        assert (one.shown, one.status_at) == ("idle", timestamp(1_800_000_000.0))
    assert of_interest(crew.rows(), crew.now + 1_800) == []


def test_a_database_of_another_program_is_refused(crew: Crew) -> None:
    """With a sentence, not with a traceback."""
    crew.database.write_text("no database at all, and long enough to be read as one" * 20)
    with closing(Fleet(crew.database)) as fleet, pytest.raises(StoreError, match="interlock"):
        fleet.rows()


def test_history_is_left_out() -> None:
    """Who is done is shown for an hour, everybody else for a day; a heartbeat counts as a sign of life."""
    now = 1_800_000_000.0
    ages = {"min": 600, "hours": 7_200, "days": 200_000}
    rows = [
        row(agent=f"{shown} {name}", shown=shown, status_at=timestamp(now - age))
        for shown in ("done", "working")
        for name, age in ages.items()
    ]
    alive = row(agent="alive", status_at=timestamp(now - 200_000), last_heartbeat=timestamp(now - 5))

    found = of_interest([*rows, alive], now)
    assert [one.agent for one in found] == ["done min", "working min", "working hours", "alive"]
