"""Is this command typed by a person, or run from an agent's process tree?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

from interlock.cli.agent_marks import mark_in
from interlock.cli.loading import here
from interlock.cli.passphrase import check_passphrase, has_terminal
from interlock.daemon.agents import FILE, agent_above, read_agents
from interlock.daemon.client import DaemonError, request
from interlock.daemon.places import Places, places_of
from interlock.errors import InterlockError


def require_person(command: str, *, terminal: bool = False, passphrase: bool = False) -> str | None:
    """Refuse a command that changes or opens the gate when an agent runs it; the attempt is recorded.

    With `terminal` somebody must be there to answer; with `passphrase` they must know the one that was set,
    which is given back.
    """
    places = places_of(here())
    sign = sign_of_agent(os.environ, places)
    if sign is not None:
        with suppress(DaemonError):  # nobody is there to record it
            request(places.socket, "person.refused", {"command": command, "reason": sign})
        raise InterlockError(
            f"`interlock {command}` is for people, and {sign}; type it in a terminal of your own"
        )
    if terminal and not has_terminal():
        raise InterlockError(
            f"`interlock {command}` is confirmed on a terminal and there is none here; open one"
        )
    return check_passphrase(places.state) if passphrase else None


def sign_of_agent(environ: Mapping[str, str], places: Places) -> str | None:
    """Why this looks like an agent's doing, or None: a variable agents set, or an agent above this process.

    Only agents whose hooks ask this home's daemon count as such: that they run is known, not guessed.
    """
    mark = mark_in(environ)
    if mark is not None:
        return f"`{mark}` says that an agent started this"
    try:
        session = request(places.socket, "person.check")["session"]
    except DaemonError:
        session = agent_above(os.getpid(), read_agents(places.state / FILE))
    return None if session is None else f"this process was started by an agent (session `{session}`)"
