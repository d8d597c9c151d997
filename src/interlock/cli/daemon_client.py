"""Asking the daemon, which is started when it is not there."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any, Final

from interlock.cli.passphrase import has_terminal
from interlock.cli.policy_source import here
from interlock.daemon.client import DaemonError, request
from interlock.daemon.launcher import start
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError

_SECONDS: Final = 30.0  # an import's group is recorded whole before it is answered


# The passphrase that was typed and no daemon has heard yet, in a process that could be an agent's.
PROOF: Final[list[str]] = []
SAID: Final[list[bool]] = []  # that the daemon was told who sits here


def prove(socket: Path) -> None:
    """Show the daemon once that a person sits here; raise DaemonError when it is not told of it."""
    if PROOF:
        request(socket, "person.prove", {"passphrase": PROOF[-1]}, seconds=_SECONDS)
        PROOF.clear()


def say_who(socket: Path) -> None:
    """Where one login is several people's, or somebody has a passphrase of their own: ask for it."""
    try:
        people = request(socket, "person.check", seconds=_SECONDS).get("people")
    except DaemonError:
        return
    if not people or SAID or not has_terminal():
        return
    given = getpass.getpass(f"Passphrase of {' or '.join(people)}: ")
    try:
        request(socket, "person.prove", {"passphrase": given}, seconds=_SECONDS)
    except DaemonError as error:
        raise InterlockError(str(error).removeprefix("`person.prove`: ")) from error
    SAID.append(True)


def ask_daemon(method: str, params: dict[str, Any] | None = None, *, as_person: bool = False) -> Any:
    """Send a request to this home's daemon; what it refuses is an InterlockError in its words."""
    places = places_of(here())
    start(places)
    try:
        prove(places.socket)
        if as_person:
            say_who(places.socket)
        return request(places.socket, method, params, seconds=_SECONDS)
    except DaemonError as error:
        raise InterlockError(str(error).removeprefix(f"`{method}`: ")) from error
