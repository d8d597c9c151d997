"""How a hook notifies people through the daemon, without waiting for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol, final

import msgspec

from interlock.daemon.extension import DaemonContext
from interlock.events.tool import JsonObject
from interlock.features.notifications.sender import Notice, Notifier, Ways, terminal_of


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """What is told, and how: a line for the desktop, a document for a webhook."""

    session_id: str  # whose terminal rings
    title: str
    text: str
    document: JsonObject
    webhook: str | None = None
    desktop: bool = False
    bell: bool = False


class Notices(Protocol):
    """Whoever can reach people."""

    def tell(self, telling: Telling) -> None:
        """Begin to tell them; a failure is recorded and holds nobody up."""


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
