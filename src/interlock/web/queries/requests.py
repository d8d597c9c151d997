"""Requests for a person's yes, as the store has them."""

from __future__ import annotations

import time
from sqlite3 import Connection
from typing import Final

from interlock.approvals.request import Request
from interlock.approvals.requests import Requests
from interlock.store.statements import statements
from interlock.store.timestamp import timestamp

_ANSWERED: Final = 20


def pending_names(connection: Connection) -> list[str]:
    """The names of those that wait and are not over, the oldest first."""
    rows = connection.execute(statements("web")["pending"], (timestamp(time.time()),))
    return [f"ap_{number}" for (number,) in rows]


def waiting(connection: Connection) -> list[Request]:
    """Those that wait and are not over, the oldest first."""
    now = timestamp(time.time())
    return [request for request in Requests(connection).waiting() if request.expires_at > now]


def answered(connection: Connection) -> list[Request]:
    """The last ones that wait no more, the newest first."""
    now = timestamp(time.time())
    found = Requests(connection).newest()[::-1]
    over = [one for one in found if one.state != "pending" or one.expires_at <= now]
    return over[:_ANSWERED]


def request_named(connection: Connection, number: int) -> Request | None:
    """One request, in whatever state."""
    return Requests(connection).get(number)
