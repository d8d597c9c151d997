"""What the daemon knows about a host: whether it passed the self-test, and how long it waits."""

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
from interlock.hosts.host import Check, Host, State
from interlock.hosts.host_notes import ROUNDS, Noted, read_versions, read_waiting, waits
from interlock.policy.file_watch import Stamp, Watch

_log: Final = logging.getLogger(__name__)
_SECONDS: Final = 5.0


class HostSelfTest:
    """Runs the self-test at the first session of every host version; remembers those that passed."""

    def __init__(self, file: Path, shim: Sequence[str]) -> None:
        self._file: Final = file
        self._shim: Final = tuple(shim)  # the installed program and its arguments, without the host's name
        self._passed: Final = read_versions(file)

    def due(self, host: Host, event: Event) -> str | None:
        """The version to test when a session begins; None if it has passed already."""
        if event.name != EventName.SESSION_START or not Path(self._shim[0]).exists():
            return None
        version = host.version(event)
        return version if version and f"{host.name} {version}" not in self._passed else None

    async def try_out(self, host: Host, version: str, cwd: str) -> Check:
        """Send a call through the real shim that must be denied."""
        command = [*self._shim, host.name]
        check = await asyncio.to_thread(host.self_test, command, Path(cwd), seconds=_SECONDS)
        if check.state is State.OK:
            self._passed.add(f"{host.name} {version}")
            write_whole(self._file, msgspec.json.encode(sorted(self._passed)), mode=0o600, follow=True)
        else:
            _log.error("self-test with %s %s: %s", host.name, version, check.detail)
        return check


class Budgets:
    """How long a host waits for hooks; reads the noted timeouts again when their file has changed."""

    def __init__(self, file: Path | None = None) -> None:
        self._file: Final = file
        self._watch: Final = Watch(files=(str(file),) if file else ())
        self._stamp: Stamp | None = None
        self._noted: Noted = {}

    def seconds(self, host: Host, event_name: str) -> float:
        """The seconds all hooks of an event share."""
        return host.budget(event_name, waits(self._read(), host.name, event_name))

    def rounds(self, host: Host) -> int:
        """How often hooks may send a turn back."""
        raised = waits(self._read(), host.name, ROUNDS)
        return host.most_rounds if raised is None else max(host.most_rounds, int(raised))

    def _read(self) -> Noted:
        stamp = self._watch.stamp()
        if self._file is not None and stamp != self._stamp:
            self._stamp, self._noted = stamp, read_waiting(self._file)
        return self._noted
