"""Asking the daemon, which is started when it is not there."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from interlock.cli.loading import here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.places import places_of
from interlock.daemon.starting import start
from interlock.errors import InterlockError

_SECONDS: Final = 30.0  # an import's group is recorded whole before it is answered


# The passphrase that was typed and no daemon has heard yet, in a process that could be an agent's.
PROOF: Final[list[str]] = []


def prove(socket: Path) -> None:
    """Show the daemon once that a person sits here; raise DaemonError when it does not hear of it."""
    if PROOF:
        request(socket, "person.prove", {"passphrase": PROOF[-1]}, seconds=_SECONDS)
        PROOF.clear()


def ask_daemon(method: str, params: dict[str, Any] | None = None) -> Any:
    """Send a request to this home's daemon; what it refuses is an InterlockError in its words."""
    places = places_of(here())
    start(places)
    try:
        prove(places.socket)
        return request(places.socket, method, params, seconds=_SECONDS)
    except DaemonError as error:
        raise InterlockError(str(error).removeprefix(f"`{method}`: ")) from error
