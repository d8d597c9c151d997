"""Comparing what ran with what was decided: a host with several hooks may drop our change."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Final

import msgspec

from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject

_REMEMBERED: Final = 4_096
_SHORT: Final = 512
_PLAIN: Final = frozenset({bool, int, float, type(None)})
_BEFORE: Final = EventName.PRE_TOOL_USE
_AFTER: Final = frozenset({EventName.POST_TOOL_USE, EventName.POST_TOOL_USE_FAILURE})


class CarriedOut:
    """Remembers the input each call was decided with, until the host reports what it did."""

    def __init__(self) -> None:
        self._decided: Final[OrderedDict[tuple[str, str], JsonObject | bytes]] = OrderedDict()

    def expect(self, event: Event, decision: Decision) -> None:
        """Remember the input a call may run with."""
        tool = event.tool
        if tool is None or not tool.use_id or event.name != _BEFORE:
            return
        final = tool.input if decision.updated_input is None else decision.updated_input
        self._decided[event.session_id, tool.use_id] = _kept(final)
        if len(self._decided) > _REMEMBERED:
            self._decided.popitem(last=False)

    def overridden(self, event: Event) -> bool:
        """Whether a call ran with another input than was decided."""
        if event.name not in _AFTER or event.tool is None or not event.tool.use_id:
            return False
        decided = self._decided.pop((event.session_id, event.tool.use_id), None)
        return decided is not None and decided != _kept(event.tool.input)


def _kept(tool_input: JsonObject) -> JsonObject | bytes:
    """A small input as it is; of one that holds a whole file only the digest."""
    for value in tool_input.values():
        if value.__class__ is str:
            if len(value) > _SHORT:
                break
        elif value.__class__ not in _PLAIN:
            break
    else:
        return tool_input
    return hashlib.sha256(msgspec.json.encode(tool_input, order="sorted")).digest()
