"""Asking the daemon, which is started when it is not there."""

from __future__ import annotations

from typing import Any, Final

from interlock.cli.loading import here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.places import places_of
from interlock.daemon.starting import start
from interlock.errors import InterlockError

_SECONDS: Final = 30.0  # an import's group is recorded whole before it is answered


def ask_daemon(method: str, params: dict[str, Any] | None = None) -> Any:
    """Send a request to this home's daemon; what it refuses is an InterlockError in its words."""
    places = places_of(here())
    start(places)
    try:
        return request(places.socket, method, params, seconds=_SECONDS)
    except DaemonError as error:
        raise InterlockError(str(error).removeprefix(f"`{method}`: ")) from error
