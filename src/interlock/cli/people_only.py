"""Is this command typed by a person, or run from an agent's process tree?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from interlock.cli.agent_environment import mark_in
from interlock.cli.daemon_client import PROOF, prove
from interlock.cli.passphrase import check_passphrase, has_passphrase, has_terminal
from interlock.cli.policy_source import here
from interlock.daemon.caller_kind import FILE, Kind, Standing, read_roster, standing_of
from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import Places, places_of
from interlock.errors import InterlockError

_OWN_TERMINAL: Final = "type it in your own terminal"
_WAYS: Final = (
    "type it in a terminal that was open before the agent started, answer on the dashboard, or run "
    "`interlock install claude-code --passphrase` in such a terminal to set a passphrase"
)


def require_person(command: str, *, terminal: bool = False, passphrase: bool = False) -> str | None:
    """Refuse a command that changes or opens the gate when an agent runs it; the attempt is recorded.

    With `terminal` somebody must be there to answer; with `passphrase` they must know the one that was set,
    which is given back. Who cannot be told from an agent must know it in any case.
    """
    places = places_of(here())
    found = standing_here(os.environ, places)
    if found.kind is Kind.AGENT:
        raise _refusal(command, found, places, _OWN_TERMINAL)
    unclear = found.kind is Kind.UNKNOWN
    if unclear and not has_passphrase(places.state):
        raise _refusal(command, found, places, _WAYS)
    if terminal and not has_terminal():
        raise InterlockError(
            f"`interlock {command}` must be confirmed in a terminal, and this is not one; open a terminal"
        )
    given = check_passphrase(places.state) if passphrase or unclear else None
    if unclear and given is not None:
        _show(given, places)
    return given


def ask_who_it_is(places: Places) -> None:
    """Ask for the passphrase before what both may ask for, where this could be either's process."""
    if not has_passphrase(places.state) or not has_terminal() or PROOF:
        return
    if standing_here(os.environ, places).kind is Kind.UNKNOWN:
        given = check_passphrase(places.state)
        if given is not None:
            _show(given, places)


def standing_here(environ: Mapping[str, str], places: Places) -> Standing:
    """Whose this process is: by a variable agents set, or by what the system knows of processes.

    Only agents whose hooks ask this home's daemon count as such: that they run is known, not guessed.
    """
    mark = mark_in(environ)
    if mark is not None:
        return Standing(Kind.AGENT, None, f"`{mark}` shows that an agent started this")
    try:
        found = request(places.socket, "person.check")
        return Standing(Kind(found["standing"]), found["session"], found["why"])
    except (DaemonError, KeyError):  # none is there, or one of an older version
        return standing_of(os.getpid(), read_roster(places.state / FILE))


def _refusal(command: str, found: Standing, places: Places, ways: str) -> InterlockError:
    with suppress(DaemonError):  # nobody is there to record it
        request(places.socket, "person.refused", {"command": command, "reason": found.why})
    return InterlockError(f"`interlock {command}` is for people, and {found.why}; {ways}")


def _show(given: str, places: Places) -> None:
    """Tell the daemon, or the one that will be started."""
    PROOF.append(given)
    with suppress(DaemonError):
        prove(places.socket)
