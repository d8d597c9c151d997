"""Laws of the table of the fleet."""

from __future__ import annotations

from typing import Any

import pytest
from tests.features.fleet.crew import row

from interlock.features.fleet.fleet import age, line_of, seconds_of, summary
from interlock.store.clock import timestamp

NOW = 1_800_000_000.0


def cells(**fields: Any) -> tuple[str, ...]:
    """One line of the table."""
    line = line_of(row(**fields), NOW)
    return line.cells


def test_an_effort_is_told_by_skill_and_phase() -> None:
    """After the number that every command takes, never the one its files begin with."""
    first = cells(skill="fix", effort_id=16, ordinal=1, current_phase="2: Build", heartbeat_counter=3)
    second = cells(
        skill="fix", effort_id=17, ordinal=2, heartbeat_counter=0, block_after=5, context_usage=0.616
    )

    assert first[2:4] == ("e16 fix · 2: Build", "3/10")
    assert second[2:5] == ("e17 fix", "0/5", "62%")


def test_somebody_without_an_effort_has_no_beat() -> None:
    """A plain session is shown by its status alone, under the name of its folder where it has one."""
    assert cells(agent="0f3a", label="app", heartbeat_counter=2)[:5] == ("app", "working", "", "", "")
    assert cells(agent="0f3a")[0] == "0f3a"


def test_who_works_and_is_not_heard_of_is_in_doubt() -> None:
    """After five minutes without a call, while its process runs."""
    old, new = timestamp(NOW - 301), timestamp(NOW - 10)

    assert cells(status_at=old)[1] == "working?"
    assert cells(status_at=old, last_heartbeat=new)[1] == "working"
    assert cells(shown="attention", status_at=old)[1] == "attention"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(-5, "0s"), (0, "0s"), (59, "59s"), (60, "1m"), (3_599, "59m"), (7_300, "2h"), (200_000, "2d")],
)
def test_an_age_is_one_word(seconds: float, told: str) -> None:
    """The largest unit; a clock that was set back gives no negative age."""
    assert age(seconds_of(timestamp(NOW - seconds)), NOW) == told
    assert age(None, NOW) == ""


def test_a_line_sums_it_up() -> None:
    """Who waits first, as the table has it; what is left out is counted."""
    rows = [row(shown="error"), row(shown="working"), row(shown="working")]

    assert summary(rows, 4) == "3 agents: 1 error, 2 working; 4 earlier ones (--all)"
    assert summary(rows[:1], 0) == "1 agent: 1 error"
    assert summary([], 0) == "no agent is working"
