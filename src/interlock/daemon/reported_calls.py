"""Who calls a tool of ours: what the host reported of the call, found again when our server is called."""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import OWN

_MOST: Final = 1_024  # calls remembered; one is forgotten when it is taken
_PRE: Final = EventName.PRE_TOOL_USE
_KEPT: Final = ("entrypoint",)  # of what the host says besides: whether a person is there


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """A call of one of our tools, without what it was given."""

    event: Event  # who and where; its tool is left out
    digest: str  # of the tool and its input


class Callers:
    """Remembers calls between the moment their host reports them and the moment our server gets them.

    A server of tools is started once for a session and hears of no sub-agent; the report says which calls.
    """

    def __init__(self) -> None:
        self._calls: Final[dict[tuple[str, str], Reported]] = {}

    def decided(self, event: Event, decision: Decision) -> None:
        """Take notice of a call of one of our tools that may be made, with the input it will have."""
        tool = event.tool
        if tool is None or not tool.name.startswith(OWN) or event.name != _PRE or not tool.use_id:
            return
        if decision.denied:
            return  # nobody may make it, under whichever name
        extra = {name: event.extra[name] for name in _KEPT if name in event.extra}
        lean = msgspec.structs.replace(event, tool=None, extra=extra)
        given = tool.input if decision.updated_input is None else decision.updated_input
        digest = _digest(tool.name.removeprefix(OWN), given)
        self._calls[event.session_id, tool.use_id] = Reported(event=lean, digest=digest)
        if len(self._calls) > _MOST:
            del self._calls[next(iter(self._calls))]

    def take(self, session: str | None, use_id: object, tool: str, arguments: JsonObject) -> Event | None:
        """Who made exactly this call; None when nobody did, or it was taken before."""
        if session is None or not isinstance(use_id, str):
            return None
        found = self._calls.get((session, use_id))
        if found is None or found.digest != _digest(tool, arguments):
            return None
        del self._calls[session, use_id]
        return found.event


def _digest(tool: str, arguments: JsonObject) -> str:
    return hashlib.sha256(msgspec.json.encode([tool, arguments], order="sorted")).hexdigest()
