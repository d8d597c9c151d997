"""Starting and stopping the daemon from outside it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import FileLock, Places, check_socket_path, make_private
from interlock.errors import InterlockError
from interlock.hosts.launching import install_place, installed_launch
from interlock.version import __version__

START_SECONDS: Final = 5.0
STOP_SECONDS: Final = 15.0
_POLL: Final = 0.01
_PLAIN_PATH: Final = "/usr/bin:/bin"  # as the shim sets it, where the launch file names none


def status(places: Places) -> dict[str, Any] | None:
    """The status of the running daemon, or None."""
    try:
        found: dict[str, Any] = request(places.socket, "status")
    except DaemonError:
        return None
    return found


def start(places: Places, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Make sure a daemon of this version runs; replace an older one.

    Without an environment the daemon gets the installed one, as from the shim: an agent may start it.
    """
    make_private(places.run)
    make_private(places.state)
    check_socket_path(places.socket)
    found = status(places)
    if found is not None and (state := other_home(places, found)):
        raise InterlockError(
            f"the daemon at `{places.socket}` serves another home, `{state}`; run `interlock daemon restart`"
        )
    if found is not None and found["version"] == __version__:
        return found
    lock = FileLock(places.start_lock)
    if lock.take():
        try:
            if found is not None:
                stop(places)
            _spawn(places, _installed_environment(places) if environment is None else environment)
            return _wait_for_answer(places)
        finally:
            lock.release()
    return _wait_for_answer(places)


def other_home(places: Places, found: dict[str, Any]) -> str | None:
    """The state folder of a daemon that serves another home at our socket; None for our own."""
    state: str | None = found.get("home", {}).get("state")  # one of an earlier version does not say
    if state is None or os.path.realpath(state) == os.path.realpath(places.state):
        return None
    return state


def stop(places: Places) -> bool:
    """Ask the daemon to stop and wait until it has; False if none runs."""
    if not places.lock.exists():
        return False
    found = True
    try:
        request(places.socket, "stop")
    except DaemonError:
        found = False  # none runs, or it hangs or is stopping already: the lock tells
    lock = FileLock(places.lock)
    end = time.monotonic() + STOP_SECONDS
    while not lock.take():
        found = True
        if time.monotonic() > end:
            pid = places.lock.read_text().strip()
            raise InterlockError(
                f"the daemon did not stop within {STOP_SECONDS:g} s; see {places.log} or run `kill -9 {pid}`"
            )
        time.sleep(_POLL)
    lock.release()
    return found


def daemon_command(places: Places) -> list[str]:
    """The command that runs the daemon; with `-I` a `json.py` in its folder is not imported."""
    return [sys.executable, "-I", "-m", "interlock.daemon", "run", *places.arguments()]


def daemon_environment() -> dict[str, str]:
    """The variables the daemon inherits: enough to find programs and the home, none that change behaviour."""
    names = ("HOME", "USER", "LANG", "TMPDIR", "PATH")
    return {name: os.environ[name] for name in names if name in os.environ}


def _installed_environment(places: Places) -> Mapping[str, str]:
    environ = {"INTERLOCK_HOME": str(places.own_home)} if places.own_home else os.environ
    installed = install_place(environ, home=Path.home(), cwd=Path(os.sep))
    launch = installed_launch(installed, places.state, os.getuid())
    return daemon_environment() if launch is None else {"PATH": _PLAIN_PATH, **launch.environment}


def _spawn(places: Places, environment: Mapping[str, str]) -> None:
    """Start the daemon in its own session; it inherits nothing but this environment."""
    null = os.open(os.devnull, os.O_RDWR)
    try:
        command = daemon_command(places)
        to_null = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
        os.posix_spawn(command[0], command, environment, file_actions=to_null, setsid=True)
    finally:
        os.close(null)


def _wait_for_answer(places: Places) -> dict[str, Any]:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        found = status(places)
        if found is not None:
            return found
        time.sleep(_POLL)
    raise InterlockError(f"the daemon did not answer within {START_SECONDS:g} s; see {places.log}")
