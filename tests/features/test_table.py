"""Laws of the table: every name in it leads to something."""

from __future__ import annotations

import pytest

from interlock.feature import features
from interlock.features import FEATURES

PLACES = [(one.name, address) for one in FEATURES for address in one.addresses]


@pytest.mark.parametrize(("name", "place"), PLACES, ids=[f"{name} {place}" for name, place in PLACES])
def test_every_part_can_be_loaded(name: str, place: str) -> None:
    """No type checker follows a name in a row."""
    (feature,) = (one for one in FEATURES if one.name == name)

    assert feature.load(place) is not None


def test_a_feature_stands_below_those_it_needs() -> None:
    """Services are made in this order, so what is needed is there."""
    names = [one.name for one in FEATURES]

    assert all(names.index(need) < names.index(one.name) for one in FEATURES for need in one.needs)


def test_all_of_them_are_here() -> None:
    """Nothing was left out of this checkout."""
    assert features() == FEATURES
