"""Laws of how a status looks."""

from __future__ import annotations

import pytest
from tests.features.fleet.crew import row

from interlock.features.fleet.fleet import background
from interlock.features.fleet.pane_colors import most_urgent


@pytest.mark.req("E63")
@pytest.mark.parametrize(
    ("shown", "colour"),
    [
        ("error", "#3d2020"),
        ("gone", "#3d2020"),
        ("unchecked", "#081a10"),
        ("attention", "#081a10"),
        ("working", "#080c10"),
        ("checked", "#0a1005"),
        ("done", "#0a0a0a"),
        ("idle", "#0a0a0a"),
    ],
)
def test_every_status_has_its_colour(shown: str, colour: str) -> None:
    """Red, mint, blue, sage and gray; who waits looks like who ended unseen."""
    assert background(row(shown=shown)) == colour


def test_few_colours_are_told_apart_too() -> None:
    """One of 256 for each, as different as the others are."""
    words = ["error", "attention", "working", "checked", "done"]
    near = {background(row(shown=shown), true=False) for shown in words}

    assert len(near) == len(words)
    assert all(colour.startswith("colour") for colour in near)
    assert background(row(manages=("b",)), true=False) == "colour53"


@pytest.mark.req("E63")
@pytest.mark.parametrize("shown", ["working", "checked", "done", "idle"])
def test_a_coordinator_is_purple(shown: str) -> None:
    """As long as nothing is more urgent than finding it."""
    assert background(row(shown=shown, manages=("b",))) == "#1a0a2e"
    assert background(row(shown="error", manages=("b",))) == "#3d2020"


@pytest.mark.req("E42")
def test_the_most_urgent_stands_for_all() -> None:
    """Error before attention before working before checked before done."""
    order = ["error", "attention", "working", "checked", "done"]
    rows = [row(agent=shown, shown=shown) for shown in reversed(order)]

    found = []
    while (first := most_urgent({"a pane": rows}).get("a pane")) is not None:
        found.append(first.agent)
        rows.remove(first)
    assert found == order
