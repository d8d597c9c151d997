"""The page Fleet and its API: every agent by status, in the colour of its pane."""

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

from interlock.features.fleet.fleet import Line, line_of, of_interest
from interlock.features.work.records import FleetRow
from interlock.features.work.store import AgentRows
from interlock.web.api.endpoint import Asked, endpoint
from interlock.web.live import event, stream
from interlock.web.monitoring import Metric, Sample
from interlock.web.page import Form, Page, back_to, fragment, render, visit_of
from interlock.web.site import site_of

_MOST: Final = 10_000
# The order of the page: agents that need a look come first.
STATUSES: Final = ("error", "gone", "attention", "unchecked", "working", "checked", "idle", "done")


class Status(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    agents: tuple[Line, ...]


class FleetNow(msgspec.Struct, frozen=True, kw_only=True):
    statuses: tuple[Status, ...]
    earlier: int  # agents that ended a while ago and are left out

    @property
    def count(self) -> int:
        return sum(len(status.agents) for status in self.statuses)


def fleet_rows(connection: Connection) -> list[FleetRow]:
    return AgentRows(connection).listed(most=_MOST)


def fleet_now(connection: Connection, now: float, *, everybody: bool = False) -> FleetNow:
    """The fleet by status; with `everybody`, also agents that ended a while ago."""
    rows = fleet_rows(connection)
    shown = rows if everybody else of_interest(rows, now)
    agents = [line_of(row, now) for row in shown]
    statuses = (
        Status(name=name, agents=tuple(one for one in agents if one.row.shown == name)) for name in STATUSES
    )
    return FleetNow(
        statuses=tuple(status for status in statuses if status.agents), earlier=len(rows) - len(shown)
    )


_LOOK_SECONDS: Final = 1.0


class FleetView(msgspec.Struct, frozen=True, kw_only=True):
    fleet: FleetNow
    everybody: bool


def show(request: Request) -> Response:
    return render(request, "fleet", _view(request))


async def events(request: Request) -> Response:
    """Send the agents as a fragment of the page, at once and whenever one of them changes."""
    return stream(visit_of(request), _changes(request))


def look(request: Request, form: Form) -> Response:
    """Record that a person has looked at an agent."""
    site, name = site_of(request), form.get("agent", "")
    if not site.ask("fleet.check", {"agents": [name]})["checked"]:
        raise HTTPException(404, f"there is no agent `{name}`; reload the page")
    return back_to("/fleet?all=1" if form.get("all") else "/fleet")


async def _changes(request: Request) -> AsyncGenerator[bytes]:
    sent = ""
    while True:
        found = await run_in_threadpool(lambda: fragment(request, "fleet_agents.html", _view(request)))
        yield event("fleet", found) if found != sent else b""
        sent = found
        await asyncio.sleep(_LOOK_SECONDS)


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


class FleetQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`all` includes agents that ended a while ago."""

    all: bool = False


class FleetFound(msgspec.Struct, frozen=True, kw_only=True):
    """Agents, the most urgent first."""

    agents: list[FleetRow]


@endpoint("/fleet", query=FleetQuery)
def fleet(asked: Asked) -> FleetFound:
    """Agents, the most urgent first."""
    with asked.site.reading() as connection:
        rows = fleet_rows(connection)
    return FleetFound(agents=rows if asked.query.all else of_interest(rows, time.time()))


ENDPOINTS: Final = (fleet,)
