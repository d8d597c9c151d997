"""Laws of which agent stands for a pane, and when it was looked at."""

from __future__ import annotations

from typing import Any

import pytest
from tests.features.fleet.crew import row

from interlock.features.fleet.pane_colors import Look, Server, agents_of_panes, find_looked_at, server_of
from interlock.features.work.records import FleetRow
from interlock.store.clock import timestamp

SERVER = Server(pid=7, socket="/tmp/tmux-x/default")
TMUX = "/tmp/tmux-x/default,7,0"


def at(agent: str, pane: str = "%1", tmux: str = TMUX, **fields: Any) -> FleetRow:
    """An agent in a pane."""
    return row(agent=agent, pane=pane, tmux=tmux, **fields)


def names(rows: list[FleetRow], *panes: str) -> dict[str, list[str]]:
    """Who stands for which pane."""
    found = agents_of_panes(rows, SERVER, panes)
    return {pane: [one.agent for one in those] for pane, those in found.items()}


def test_whoever_was_in_a_pane_before_has_left_it() -> None:
    """An error of last week is not a reason to look there."""
    old = at("old", shown="error", status_at=timestamp(100))
    new = at("new", shown="working", status_at=timestamp(200))

    assert names([old, new], "%1") == {"%1": ["new"]}


def test_those_it_brought_along_count_with_it() -> None:
    """A helper that fails is seen though its parent works."""
    parent = at("p", status_at=timestamp(200))
    child = at("c", parent="p", shown="error", status_at=timestamp(100))

    assert names([parent, child], "%1") == {"%1": ["p", "c"]}


@pytest.mark.parametrize(
    ("pane", "tmux"),
    [
        ("%1", "/tmp/tmux-x/default,8,0"),  # the panes of a server that has ended have these numbers too
        ("%1", "/tmp/tmux-x/other,7,0"),
        ("%9", TMUX),
        ("%1", ""),
        ("%1", "nonsense"),
    ],
)
def test_panes_of_others_are_left_alone(pane: str, tmux: str) -> None:
    """Another server, an earlier one on the same socket, a pane that is gone, a claim nobody understands."""
    assert names([at("a", pane=pane, tmux=tmux)], "%1") == {}


def test_the_variable_of_tmux_is_read_from_its_end() -> None:
    """The path of a socket may hold commas."""
    assert server_of("/tmp/a,b/s,12,3") == Server(pid=12, socket="/tmp/a,b/s")
    assert server_of(None) is None


def look(**focused: float) -> Look:
    """Somebody has these panes before them."""
    return Look(panes={}, focused={f"%{name[1:]}": touched for name, touched in focused.items()})


def test_coming_to_a_pane_and_typing_in_it_are_looks() -> None:
    """A pane that is merely left open on a screen nobody sits at is none."""
    waits = at("a", shown="attention", status_at=timestamp(1_000))
    agents = {"%1": [waits]}

    assert find_looked_at(agents, look(p1=900), look(p2=900)) == [waits]  # came from another pane
    assert find_looked_at(agents, look(p1=900), look(p1=900)) == []  # was there, and is away
    assert find_looked_at(agents, look(p1=1_001), look(p1=900)) == [waits]  # typed since
    assert find_looked_at(agents, look(p1=900), None) == []  # nobody knows where they were
    assert find_looked_at(agents, look(p2=2_000), look()) == []


@pytest.mark.parametrize("shown", ["working", "checked", "done", "error", "idle"])
def test_only_what_waits_is_looked_at(shown: str) -> None:
    """Nothing else changes by a look, so nobody is told of one."""
    agents = {"%1": [at("a", shown=shown, status_at=timestamp(1))]}

    assert find_looked_at(agents, look(p1=2_000), look()) == []
