"""A host version nobody has seen yet: what was proved with an older one is proved again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.files.own_files import write_whole
from interlock.hosts.check import Check, State
from interlock.hosts.host import Host
from interlock.hosts.host_notes import read_versions

_log: Final = logging.getLogger(__name__)
_SECONDS: Final = 5.0


class FirstSight:
    """Runs the self-test at the first session of every host version, and remembers those that passed."""

    def __init__(self, file: Path, shim: Sequence[str]) -> None:
        self._file: Final = file
        self._shim: Final = tuple(shim)  # the installed program and its arguments, without the host's name
        self._passed: Final = read_versions(file)

    def due(self, host: Host, event: Event) -> str | None:
        """The version to try, when a session begins under one that has not been tried."""
        if event.name != EventName.SESSION_START or not Path(self._shim[0]).exists():
            return None
        version = host.version(event)
        return version if version and f"{host.name} {version}" not in self._passed else None

    async def try_out(self, host: Host, version: str, cwd: str) -> Check:
        """Send a call that must be denied through the real shim."""
        command = [*self._shim, host.name]
        check = await asyncio.to_thread(host.self_test, command, Path(cwd), seconds=_SECONDS)
        if check.state is State.OK:
            self._passed.add(f"{host.name} {version}")
            write_whole(self._file, msgspec.json.encode(sorted(self._passed)), mode=0o600, follow=True)
        else:
            _log.error("self-test with %s %s: %s", host.name, version, check.detail)
        return check
