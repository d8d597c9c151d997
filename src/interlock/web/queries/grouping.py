"""Which events are of one call: a host reports it before it runs, when it asks, and when it has ended."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

import msgspec

from interlock.events.names import EventName

ENDS: Final = frozenset(
    {EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE, EventName.PERMISSION_DENIED}
)
_MOST: Final = 500  # calls that have begun and not ended

_Kind = tuple[str, str]  # a session and a tool


class Calls:
    """The calls that have begun: what is told of one later finds it there."""

    def __init__(self) -> None:
        self._open: Final[dict[str, tuple[_Kind, bytes]]] = {}  # and the digest of its input

    def name(self, event: str, told: Mapping[str, Any]) -> str:
        """The name of the call an event is of; empty where it is of none, or nobody can tell of which."""
        session, tool, use_id = (str(told.get(key) or "") for key in ("session_id", "tool", "tool_use_id"))
        given = _digest(told.get("input", told.get("tool_input")))
        if event == EventName.PERMISSION_REQUEST and not use_id:
            return self._begun((session, tool), given)
        if not use_id or not session:
            return ""
        name = blake2b(f"{session}\n{use_id}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        if event == EventName.PRE_TOOL_USE:
            self._open[name] = ((session, tool), given)
            if len(self._open) > _MOST:
                del self._open[next(iter(self._open))]
        elif event in ENDS:
            self._open.pop(name, None)
        return name

    def _begun(self, kind: _Kind, given: bytes) -> str:
        """The one with this input; hooks may have changed it, so a call that is the only one is it too."""
        found = [(name, one) for name, (of, one) in self._open.items() if of == kind]
        same = [name for name, one in found if one == given]
        return same[-1] if same else found[0][0] if len(found) == 1 else ""


def _digest(given: Any) -> bytes:
    return blake2b(msgspec.json.encode(given, order="deterministic"), digest_size=8).digest()
