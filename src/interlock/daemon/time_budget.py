"""How much time the hooks of an event have: what the host really waits, as installing told it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from interlock.hosts.host import Host
from interlock.hosts.host_notes import ROUNDS, Noted, read_waiting, waits
from interlock.policy.file_watch import Stamp, Watch


class Budgets:
    """Reads the note again when it has changed; asked only for events whose hooks take their time."""

    def __init__(self, file: Path) -> None:
        self._file: Final = file
        self._watch: Final = Watch(files=(str(file),))
        self._stamp: Stamp | None = None
        self._noted: Noted = {}

    def of(self, host: Host, event_name: str) -> float:
        """The seconds all hooks of an event have together."""
        return host.budget(event_name, waits(self._read(), host.name, event_name))

    def rounds(self, host: Host) -> int:
        """How often hooks may send a turn back."""
        raised = waits(self._read(), host.name, ROUNDS)
        return host.most_rounds if raised is None else max(host.most_rounds, int(raised))

    def _read(self) -> Noted:
        stamp = self._watch.stamp()
        if stamp != self._stamp:
            self._stamp, self._noted = stamp, read_waiting(self._file)
        return self._noted
