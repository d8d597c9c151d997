"""Starting and stopping the daemon from outside it, and the unit that starts it at login."""

from __future__ import annotations

import os
import plistlib
import shlex
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.daemon.client import DaemonError, request
from interlock.daemon.paths import FileLock, Places, check_socket_path, make_private
from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
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
    kept = ("HOME", "USER", "LANG", "TMPDIR", "PATH")
    return {name: os.environ[name] for name in kept if name in os.environ}


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


_UNIT: Final = """\
[Unit]
Description=Interlock, the hooks engine for coding agents

[Service]
ExecStart={command}
Restart=on-failure
RestartPreventExitStatus=3

[Install]
WantedBy=default.target
"""
_LABEL: Final = "dev.interlock.daemon"


class Service(msgspec.Struct, frozen=True, kw_only=True):
    file: Path
    text: str
    next_step: str


def service_of(places: Places, *, home: Path, platform: str = sys.platform) -> Service:
    """The service file for this system."""
    command = daemon_command(places)
    if platform == "darwin":
        file = home / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
        document = {
            "Label": _LABEL,
            "ProgramArguments": command,
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
        }
        text = plistlib.dumps(document).decode()
        return Service(file=file, text=text, next_step=f"launchctl load {shlex.quote(str(file))}")
    file = home / ".config" / "systemd" / "user" / "interlock.service"
    # systemd reads quotes as a shell does, and `%` as a specifier of its own.
    text = _UNIT.format(command=shlex.join(command).replace("%", "%%"))
    return Service(file=file, text=text, next_step="systemctl --user enable --now interlock.service")


def install_service(places: Places, *, dry_run: bool, home: Path | None = None) -> Service:
    """Write the service file, unless this is a dry run."""
    service = service_of(places, home=home or Path.home())
    if not dry_run:
        write_whole(service.file, service.text.encode("utf-8", "surrogateescape"), mode=0o644)
    return service
