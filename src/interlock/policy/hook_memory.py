"""What a hook remembers of a session between its moments."""

from __future__ import annotations

from typing import Final, Protocol

from interlock.events.tool import JsonObject


class Memory(Protocol):
    """A small JSON object per session and key; the key is the hook's name, so that two never share one."""

    def get(self, session_id: str, key: str) -> JsonObject:
        """What was kept last; empty when nothing was."""

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        """Keep this in place of what was kept before."""


class MemoryInProcess:
    """The memory of an engine without a store; it lives as long as the process."""

    def __init__(self) -> None:
        self._kept: Final[dict[tuple[str, str], JsonObject]] = {}

    def get(self, session_id: str, key: str) -> JsonObject:
        """What was kept last; empty when nothing was."""
        return dict(self._kept.get((session_id, key), {}))

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        """Keep this in place of what was kept before."""
        self._kept[session_id, key] = dict(value)
