"""The service file by which the system starts the daemon at login."""

from __future__ import annotations

import plistlib
import shlex
import sys
from pathlib import Path
from typing import Final

import msgspec

from interlock.daemon.launcher import daemon_command
from interlock.daemon.paths import Places
from interlock.files.own_files import write_whole

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
