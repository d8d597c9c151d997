"""How a hook has people told of something without waiting for it."""

from __future__ import annotations

from typing import Protocol

import msgspec

from interlock.events.tool import JsonObject


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
