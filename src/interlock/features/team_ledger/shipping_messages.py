"""What the shipping process is given, and what it tells of itself: a line of JSON each."""

from __future__ import annotations

from typing import Literal

import msgspec

from interlock.features.team_ledger.settings import TeamLedger

State = Literal["connecting", "shipping", "waiting", "trouble", "stopped"]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to ship, and where; its first line."""

    database: str
    state: str
    fleet: TeamLedger


class ShippingStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How shipping stands."""

    state: State = "connecting"  # `trouble` is tried again soon, `stopped` needs a person
    shipped: int = 0  # the last entry of this machine that the team ledger is known to have
    fleet_seq: int = 0
    fleet: str = ""
    error: str | None = None
    since: str | None = None  # when the trouble began
    last: str | None = None  # when something was last handed over
    alarm: str | None = None  # to be recorded, once
