"""The fleet, for programs."""

from __future__ import annotations

import time
from typing import Final

import msgspec

from interlock.features.fleet.fleet import of_interest
from interlock.features.fleet.page import fleet_rows
from interlock.features.work.records import FleetRow
from interlock.web.api.endpoint import Asked, endpoint


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
