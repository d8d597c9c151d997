"""Requests for a person's yes, as the store has them."""

from __future__ import annotations

import time
from sqlite3 import Connection
from typing import Final

from interlock.features.approvals.request import Request, request_of
from interlock.features.approvals.requests import Requests
from interlock.store.clock import timestamp
from interlock.store.statements import statements

_WAITING: Final = 50
_ANSWERED: Final = 20


def pending_names(connection: Connection) -> list[str]:
    """The names of those that wait and are not over, the oldest first."""
    rows = connection.execute(statements("web")["pending"], (timestamp(time.time()),))
    return [f"ap_{number}" for (number,) in rows]


def waiting(connection: Connection) -> list[Request]:
    """The oldest of those that wait; an agent may ask for more than a person reads at once."""
    return _rows(connection, "waiting", _WAITING)


def answered(connection: Connection) -> list[Request]:
    """The last ones that wait no more, the newest first."""
    return _rows(connection, "answered", _ANSWERED)


def _rows(connection: Connection, name: str, limit: int) -> list[Request]:
    values = {"now": timestamp(time.time()), "limit": limit}
    return [request_of(row) for row in connection.execute(statements("web")[name], values)]


def request_named(connection: Connection, number: int) -> Request | None:
    """One request, in whatever state."""
    return Requests(connection).get(number)
