"""Which agent stands for which pane, and whose panes a person has looked at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from interlock.features.fleet.ages import seconds_of
from interlock.features.fleet.looks import WAITING, most_urgent
from interlock.features.fleet.tmux import Look, Server, server_of
from interlock.features.work.tables.records import FleetRow


def agents_of_panes(
    rows: Iterable[FleetRow], server: Server, panes: Iterable[str]
) -> dict[str, list[FleetRow]]:
    """For each pane the agent that was heard of there last, and those it brought along.

    Whoever was in the pane before has left it: an error of last week is no reason to look there.
    """
    known = set(panes)
    found: dict[str, list[FleetRow]] = {}
    for row in rows:
        if row.pane and row.pane in known and server_of(row.tmux) == server:
            found.setdefault(row.pane, []).append(row)
    return {pane: _together(those) for pane, those in found.items()}


def _together(rows: Sequence[FleetRow]) -> list[FleetRow]:
    alone = [row for row in rows if row.parent is None] or list(rows)
    last = max(alone, key=lambda row: row.status_at or "")
    return [last, *(row for row in rows if row.parent == last.agent and row is not last)]


def standing_for(agents: Mapping[str, Sequence[FleetRow]]) -> dict[str, FleetRow]:
    """The most urgent agent of each pane, or of each window."""
    found = {place: most_urgent(rows) for place, rows in agents.items()}
    return {place: row for place, row in found.items() if row is not None}


def looked_at(agents: Mapping[str, Sequence[FleetRow]], look: Look, before: Look | None) -> list[FleetRow]:
    """Whom somebody has just looked at: they came to the pane, or touched a key there since it waits.

    A pane that is only left open on a screen nobody sits at is not looked at.
    """
    found = []
    for pane, touched in look.focused.items():
        came = before is not None and pane not in before.focused
        found += [
            row
            for row in agents.get(pane, ())
            if row.shown in WAITING and (came or touched > (seconds_of(row.status_at) or 0.0))
        ]
    return found
