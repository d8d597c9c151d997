"""What built-in hooks reach through the daemon: people, and the ledger's word on a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from interlock.daemon.agent_processes import Agents
from interlock.daemon.paths import Places
from interlock.daemon.people_only import Note
from interlock.features.notifications.api import Notices, Telling
from interlock.features.session_reports.api import Flows
from interlock.features.session_reports.summary import FlowsInLedger
from interlock.policy.hook_services import HookServices
from interlock.redaction.redactor import Redactor

if TYPE_CHECKING:
    from interlock.features.notifications.sender import Notifier

REPORTS: Final = "flow-reports"  # in the state folder


@final
class HookDesk:
    """Lent to hooks when policies are loaded, and given the rooms it asks once they are there."""

    def __init__(self, places: Places, redactor: Redactor) -> None:
        self._redactor: Final = redactor
        self._flows: Final = FlowsInLedger(places.database, places.state / REPORTS)
        self._agents: Agents | None = None
        self._note: Note | None = None
        self._notifier: Notifier | None = None

    def services(self, others: HookServices) -> HookServices:
        """Everything hooks may ask while they run."""
        return others.having({Redactor: self._redactor, Notices: self, Flows: self._flows})

    def open(self, agents: Agents, note: Note) -> None:
        """From now on people can be reached."""
        self._agents, self._note = agents, note

    def tell(self, telling: Telling) -> None:
        """Begin to tell people of something."""
        from interlock.features.notifications.sender import (  # noqa: PLC0415 - as above
            Notice,
            Notifier,
            Ways,
            terminal_of,
        )

        if self._note is None or self._agents is None:
            return
        if self._notifier is None:
            self._notifier = Notifier(self._note, of="what hooks report")
        pid = self._agents.process_of(telling.session_id) if telling.bell else None
        terminal: Path | None = None if pid is None else terminal_of(pid)
        ways = Ways(webhook=telling.webhook, desktop=telling.desktop, terminal=terminal)
        notice = Notice(title=telling.title, text=telling.text, document=telling.document)
        self._notifier.tell(notice, ways)

    async def close(self) -> None:
        """Leave nothing under way."""
        if self._notifier is not None:
            await self._notifier.close()
