"""Checks that a hook call belongs to the home this daemon serves: no other home's policy may answer it."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Final

from interlock.daemon.connection import Connection
from interlock.daemon.paths import Places
from interlock.daemon.protocol import NO_HOME, Call
from interlock.hosts.launching import LAUNCH, SHIM, read_launch

Home = tuple[str, str, str]
_PLACES: Final = ("the state folder", "the user's policies in", "the machine's policies in")
_DELETED: Final = " (deleted)"  # what Linux adds to a program that was replaced while it runs
_MOST_KNOWN: Final = 64


class Belonging:
    """Compares the home that a caller names with the home that this daemon serves."""

    def __init__(self, places: Places) -> None:
        self._own: Final = places.home
        self._socket_is_own: Final = places.socket_is_own
        self._known: Final[set[Home]] = {self._own}  # spellings of our home seen so far

    def fault(self, call: Call, client: Connection) -> str | None:
        """Why a call is not ours, or None."""
        home = call.home
        if home in self._known or (home == NO_HOME and client.belongs):
            return None
        if home == NO_HOME:
            fault = self._fault_without_home(client.pid)
            client.belongs = fault is None  # a connection stays with its process
            return fault
        for place, named, own in zip(_PLACES, home, self._own, strict=True):
            if named and named != own and os.path.realpath(named) != os.path.realpath(own):
                return f"the call belongs to another home, with {place} `{named}`"
        if len(self._known) < _MOST_KNOWN:
            self._known.add(home)
        return None

    def _fault_without_home(self, pid: int) -> str | None:
        """An old shim's launch file names the home; for any other caller the socket's path decides."""
        state = state_of_caller(pid)
        if state is None:
            if self._socket_is_own:
                return None
            return "the call does not name its home, and this socket belongs to another one"
        if os.path.realpath(state) == os.path.realpath(self._own[0]):
            return None
        return f"the call belongs to another home, with the state folder `{state}`"


def state_of_caller(pid: int) -> str | None:
    """The state folder in the launch file of the shim that runs as this process; None if it is no shim."""
    try:
        program = Path(str(Path(f"/proc/{pid}/exe").readlink()).removesuffix(_DELETED))
        if program.name != SHIM:
            return None
        words = os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).split("\0")
        home = _home_in(words)
        launch = Path(home) / "launch" if home else program.with_name(LAUNCH)
        return read_launch(launch.read_text("utf-8", "surrogateescape")).state
    except (OSError, ValueError):
        return None


def _home_in(words: list[str]) -> str | None:
    for word, following in pairwise(words):
        if word == "--home":
            return following
        if word.startswith("--home="):
            return word.removeprefix("--home=")
    return None
