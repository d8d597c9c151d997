"""The fleet, for programs."""

from __future__ import annotations

import time
from typing import Final

import msgspec

from interlock.features.fleet.fleet import of_interest
from interlock.features.fleet.page_queries import fleet_rows
from interlock.features.work.records import FleetRow
from interlock.web.api.endpoint import Asked, Endpoint


class FleetQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether those are wanted who ended a while ago."""

    all: bool = False


class FleetFound(msgspec.Struct, frozen=True, kw_only=True):
    """Agents, those first that need a person most."""

    agents: list[FleetRow]


def fleet(asked: Asked) -> FleetFound:
    """Who is at work."""
    with asked.site.reading() as connection:
        rows = fleet_rows(connection)
    return FleetFound(agents=rows if asked.query.all else of_interest(rows, time.time()))


ENDPOINTS: Final = (
    Endpoint(
        path="/fleet",
        name="fleet",
        summary="Agents, those first that need a person most.",
        query=FleetQuery,
        gives=FleetFound,
        answer=fleet,
    ),
)
