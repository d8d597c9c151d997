"""Laws of the paths a daemon works with."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.daemon.paths import places_from, places_of
from interlock.errors import InterlockError
from interlock.policy.locations import locate


def test_the_arguments_carry_every_place() -> None:
    """What is written into a launch or service file is read back the same, blanks and `=` included."""
    locations = locate({"INTERLOCK_HOME": "/h/a b=c"}, home=Path("/h"), cwd=Path("/w"), uid=7)
    places = places_of(locations)

    assert places_from(places.arguments()) == places
    assert (places.run, places.lock, places.start_lock) == (
        Path("/h/a b=c/run"),
        Path("/h/a b=c/run/daemon.lock"),
        Path("/h/a b=c/run/start.lock"),
    )
    assert (places.database, places.log) == (locations.database, locations.log)


@pytest.mark.parametrize("name", ["managed-config", "user-config", "state", "socket"])
def test_a_missing_place_is_named(name: str) -> None:
    """A daemon guesses none of its places."""
    locations = locate({"INTERLOCK_HOME": "/h"}, home=Path("/h"), cwd=Path("/w"), uid=7)
    given = [
        argument for argument in places_of(locations).arguments() if not argument.startswith(f"--{name}=")
    ]

    with pytest.raises(InterlockError, match=f"--{name}=PATH"):
        places_from(given)
