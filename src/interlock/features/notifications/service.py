"""How hooks reach people through the daemon."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, final

from interlock.daemon.extension import DaemonContext
from interlock.features.notifications.api import Notices, Telling
from interlock.features.notifications.sender import Notice, Notifier, Ways, terminal_of


@final
class NotificationService:
    """Sends what hooks tell, without holding them up."""

    def __init__(self, context: DaemonContext) -> None:
        self._agents: Final = context.agents
        self._notifier: Final = Notifier(context.committer.note, of="what hooks report")

    def hook_services(self) -> Mapping[type[Any], object]:
        """People."""
        return {Notices: self}

    def tell(self, telling: Telling) -> None:
        """Begin to tell people of something."""
        pid = self._agents.process_of(telling.session_id) if telling.bell else None
        terminal: Path | None = None if pid is None else terminal_of(pid)
        ways = Ways(webhook=telling.webhook, desktop=telling.desktop, terminal=terminal)
        self._notifier.tell(Notice(title=telling.title, text=telling.text, document=telling.document), ways)

    async def close(self) -> None:
        """Leave nothing under way."""
        await self._notifier.close()
