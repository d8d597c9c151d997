"""What was said in sessions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar, Final, final

from interlock.features.work.tables.base import Table
from interlock.features.work.tables.records import Message

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?=T)")
_NEWEST: Final = 2**62
Said = tuple[str, str, str | None, str | None]  # role, content, tool's name, time of it or None for now


@final
class Messages(Table):
    """Added to, and removed when they are older than what is kept."""

    file: ClassVar = "work_messages"

    def add(
        self,
        session_id: int,
        role: str,
        content: str,
        tool_name: str | None = None,
        *,
        timestamp: str | None = None,
    ) -> int:
        """Keep one and give its number."""
        cursor = self._run(
            "add",
            session_id=session_id,
            role=role,
            content=content,
            tool_name=tool_name,
            timestamp=_time(timestamp, self._now()),
        )
        return cursor.lastrowid or 0

    def add_many(self, session_id: int, messages: Iterable[Said]) -> int:
        """Keep several, in order; gives how many."""
        count = 0
        for role, content, tool_name, at in messages:
            self.add(session_id, role, content, tool_name, timestamp=at)
            count += 1
        return count

    def of_session(self, session_id: int, limit: int, before: int | None = None) -> list[Message]:
        """The last of a session, or the last before one of them; the oldest of these first."""
        values = {"session_id": session_id, "most": limit, "before": before or _NEWEST}
        return self._all(Message, "of_session", **values)[::-1]

    def of_effort(self, effort_id: int, limit: int, before: int | None = None) -> list[Message]:
        """The same over all sessions of an effort."""
        values = {"effort_id": effort_id, "most": limit, "before": before or _NEWEST}
        return self._all(Message, "of_effort", **values)[::-1]

    def newest(self, limit: int, before: int | None = None) -> list[Message]:
        """The same over all sessions there are."""
        return self._all(Message, "newest", most=limit, before=before or _NEWEST)[::-1]

    def forget(self, before: str, most: int) -> int:
        """Remove what was said before a time, so many at once; gives how many."""
        return self._run("forget", before=before, most=most).rowcount

    def count(self, session_id: int) -> int:
        """How many a session has."""
        found: int = self._run("count", session_id=session_id).fetchone()[0]
        return found


def _time(told: str | None, now: str) -> str:
    """When it was said, as it was told; what is no time, or none that has come, would never grow old."""
    day = _DAY.match(told) if told else None
    return told if told and day is not None and day.group() <= now[:10] else now
