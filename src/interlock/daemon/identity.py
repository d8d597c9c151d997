"""Which person asks: whoever the system, a passphrase or the dashboard's login says, never who they claim."""

from __future__ import annotations

import asyncio
import math
import os
import pwd
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from interlock.daemon.jsonrpc import PEER
from interlock.daemon.process_tree import process
from interlock.errors import ApprovalError
from interlock.files.passphrase import matches, passphrase_file, read_kept
from interlock.policy.settings.people import People

_AFTER_A_MISS: Final = 2.0  # seconds in which no other try is looked at
_MOST: Final = 64  # processes whose passphrase was heard


class Identity(NamedTuple):
    """A person, and how they showed who they are."""

    name: str
    how: str
    known: bool = False  # to `settings.people`


class Identities:
    """Knows whoever may connect: the socket takes nobody but the user this daemon runs as."""

    def __init__(
        self, state: Path, people: Callable[[], People], is_dashboard: Callable[[int], bool]
    ) -> None:
        self._state: Final = state
        self._people: Final = people
        self._is_dashboard: Final = is_dashboard
        self._missed = -math.inf
        self._proven: Final[dict[tuple[int, str], str]] = {}  # process and its start → who gave a passphrase

    def of(self, params: dict[str, Any]) -> Identity:
        """Who asks; raise ApprovalError where one login is several people's and nothing tells which."""
        pid, login = params[PEER], own_login()
        found = self._people().of_login(login)
        if self._is_dashboard(pid) and isinstance(params.get("person"), str):
            return Identity(params["person"], "dashboard login", params["person"] in found)
        proven = self._proven.get(_process(pid))
        if proven in found:
            return Identity(str(proven), "passphrase", known=True)
        if not found:
            return Identity(f"human:{login.partition(':')[2]}", f"login {login}")
        if self.asks(found):
            who = " or ".join(found)
            raise ApprovalError(
                f"the login `{login}` is shared by {who}; run this in a terminal, which asks for your own "
                "passphrase (`interlock passphrase` sets one)"
            )
        return Identity(found[0], f"login {login}", known=True)

    def people(self, _: dict[str, Any]) -> dict[str, Any]:
        """Everybody of this login."""
        return {"people": self._people().of_login(own_login())}

    def candidates(self) -> tuple[str, ...]:
        """The people of this login that have to say which of them they are; mostly nobody."""
        found = self._people().of_login(own_login())
        return found if self.asks(found) else ()

    def asks(self, found: tuple[str, ...]) -> bool:
        """Whether a login alone does not tell who somebody is."""
        return len(found) > 1 or any(self._has_passphrase(one) for one in found)

    async def prove(self, pid: int, given: object, *, shared: bool) -> str | None:
        """Whose own passphrase this is, remembered for a process; None where it can be the shared one."""
        people = self._people().of_login(own_login())
        kept = {one: found for one in people if (found := read_kept(passphrase_file(self._state, one)))}
        if not kept:
            return None
        if not isinstance(given, str) or time.monotonic() - self._missed < _AFTER_A_MISS:
            raise ApprovalError("the last passphrase was wrong; wait a moment and try again")
        self._missed = time.monotonic()  # several at a time get no more tries than one after the other
        for one, found in kept.items():
            if await asyncio.to_thread(matches, found, given):
                self._missed = -math.inf
                if len(self._proven) >= _MOST:
                    self._proven.clear()
                self._proven[_process(pid)] = one
                return one
        if shared:
            return None
        raise ApprovalError("nobody who uses this login has this passphrase; nothing has changed")

    def _has_passphrase(self, person: str) -> bool:
        return os.path.lexists(passphrase_file(self._state, person))


def own_login() -> str:
    """The login the daemon runs as, by the kernel's word."""
    try:
        return f"unix:{pwd.getpwuid(os.getuid()).pw_name}"
    except KeyError:  # a user without an entry, as in some containers
        return f"unix:{os.getuid()}"


def _process(pid: int) -> tuple[int, str]:
    found = process(pid)
    return pid, found.started if found is not None else ""
