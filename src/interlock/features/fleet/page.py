"""The page Fleet: every agent by its status, in the colours its pane has in a terminal."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from sqlite3 import Connection
from typing import Final

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from interlock.features.fleet.fleet import COORDINATOR, WAITING, background, lines_of, of_interest
from interlock.features.work.agents import AgentRows
from interlock.features.work.records import FleetRow
from interlock.web.auth.form import Form
from interlock.web.exposition import Metric, Sample
from interlock.web.live import event, stream
from interlock.web.page import Page, back_to, fragment, render, visit_of
from interlock.web.site import site_of

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


_LOOK_SECONDS: Final = 1.0


class FleetView(msgspec.Struct, frozen=True, kw_only=True):
    """The fleet, and whether those are there who ended long ago."""

    fleet: FleetNow
    everybody: bool


def show(request: Request) -> Response:
    """The whole page."""
    return render(request, "fleet", _view(request))


async def events(request: Request) -> Response:
    """The agents as a part of the page, at once and whenever one of them changes."""
    return stream(visit_of(request), _changes(request))


def look(request: Request, form: Form) -> Response:
    """Say that a person has looked at an agent."""
    site, name = site_of(request), form.get("agent", "")
    if not site.ask("fleet.check", {"agents": [name]})["checked"]:
        raise HTTPException(404, f"there is no agent `{name}`; reload the page")
    return back_to("/fleet?all=1" if form.get("all") else "/fleet")


async def _changes(request: Request) -> AsyncGenerator[bytes]:
    told = ""
    while True:
        found = await run_in_threadpool(_part, request)
        yield event("fleet", found) if found != told else b""
        told = found
        await asyncio.sleep(_LOOK_SECONDS)


def _part(request: Request) -> str:
    return fragment(request, "fleet_agents.html", _view(request))


def _view(request: Request) -> FleetView:
    everybody = bool(request.query_params.get("all"))
    with site_of(request).reading() as connection:
        return FleetView(fleet=fleet_now(connection, time.time(), everybody=everybody), everybody=everybody)


def _metrics(connection: Connection) -> Iterator[Metric]:
    counts = Counter(row.shown for row in fleet_rows(connection))
    samples = tuple(Sample(value=counts[name], labels={"status": name}) for name in STATUSES)
    yield Metric(name="interlock_agents", kind="gauge", help="Agents, by status.", samples=samples)


PAGE = Page(
    name="fleet",
    title="Fleet",
    order=40,
    shows={"/fleet": show, "/fleet/events": events},
    does={"/fleet/look": look},
    metrics=_metrics,
)
