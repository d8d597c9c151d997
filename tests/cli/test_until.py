"""Laws of a time to come."""

from __future__ import annotations

from datetime import datetime

import pytest

from interlock.cli.words import until
from interlock.errors import InterlockError
from interlock.store.clock import timestamp

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90), ("15m", 900), ("2h", 7_200), ("7d", 604_800), ("2w", 1_209_600)]
)
def test_a_length_counts_from_now(text: str, seconds: int) -> None:
    """Seconds, minutes, hours, days and weeks."""
    assert until(text, NOW) == timestamp(NOW + seconds)


def test_a_day_counts_to_its_end_here() -> None:
    """A date is meant in this machine's zone; a time may bring its own."""
    end = datetime(2030, 12, 31, 23, 59, 59).astimezone().timestamp()

    assert until("2030-12-31", NOW) == timestamp(end)
    assert until("2030-12-31T18:00+02:00", NOW) == "2030-12-31T16:00:00.000Z"
    assert until("2030-12-31T18:00Z", NOW) == "2030-12-31T18:00:00.000Z"


@pytest.mark.parametrize("text", ["", "soon", "7", "-1d", "2030-13-01", "2001-01-01", "1y"])
def test_what_is_no_time_to_come_is_refused(text: str) -> None:
    """With the ways to write one."""
    with pytest.raises(InterlockError, match=r"is not a time|is in the past"):
        until(text, NOW)
