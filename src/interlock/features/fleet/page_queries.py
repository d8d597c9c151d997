"""Agents as people see them among the others, those first that need a person most."""

from __future__ import annotations

from sqlite3 import Connection
from typing import Final

import msgspec

from interlock.features.fleet.fleet import of_interest
from interlock.features.fleet.views import COORDINATOR, WAITING, background, lines_of
from interlock.features.work.agents import AgentRows
from interlock.features.work.records import FleetRow

_MOST: Final = 10_000
# The order of the page: who wants a look stands before who does not.
STATUSES: Final = ("error", "gone", "attention", "unchecked", "working", "checked", "idle", "done")


class FleetAgent(msgspec.Struct, frozen=True, kw_only=True):
    """One agent with the words of its columns."""

    row: FleetRow
    name: str
    status: str  # with a question mark where one who works has not been heard of
    effort: str
    beat: str
    context: str
    full: bool  # its context window is nearly so
    colour: str  # of its pane
    waits: bool  # for somebody to look


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """The agents of one status."""

    name: str
    agents: tuple[FleetAgent, ...]


class FleetNow(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody of interest, by status."""

    statuses: tuple[Status, ...]
    earlier: int  # whose end is history

    @property
    def count(self) -> int:
        return sum(len(status.agents) for status in self.statuses)


def fleet_rows(connection: Connection) -> list[FleetRow]:
    """Every agent the store knows."""
    return AgentRows(connection).listed(most=_MOST)


def fleet_now(connection: Connection, now: float, *, everybody: bool = False) -> FleetNow:
    """The fleet by status; those that ended a while ago only when everybody is wanted."""
    rows = fleet_rows(connection)
    shown = rows if everybody else of_interest(rows, now)
    agents = [_agent(row, now) for row in shown]
    statuses = (
        Status(name=name, agents=tuple(one for one in agents if one.row.shown == name)) for name in STATUSES
    )
    return FleetNow(
        statuses=tuple(status for status in statuses if status.agents), earlier=len(rows) - len(shown)
    )


def _agent(row: FleetRow, now: float) -> FleetAgent:
    (line,) = lines_of([row], now)
    name, status, effort, beat, context, _ = line.cells
    return FleetAgent(
        row=row,
        name=name,
        status=status,
        effort=effort,
        beat=beat,
        context=context,
        full=line.full,
        colour=_colour(row),
        waits=row.shown in WAITING,
    )


def _colour(row: FleetRow) -> str:
    """A class of the sheet for each colour: the policy header forbids colours in a page."""
    return "pane-coordinator" if background(row) == COORDINATOR[0] else f"pane-{row.shown}"
