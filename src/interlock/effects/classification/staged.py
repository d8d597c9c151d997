"""Calls between a hook's word and the decision: seen, and not yet written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from interlock.effects.classification.book import CallNote, merged
from interlock.events.event import Event

Place = tuple[str, str, str, str]


class Staged:
    """What was staged, by event, session, the host's id of the call and the tool."""

    def __init__(self) -> None:
        self.notes: Final[dict[Place, tuple[CallNote, str]]] = {}

    def put(self, note: CallNote, key: str = "") -> None:
        """Stage a call, under the key it is known by in its run."""
        place = _place(note.event)
        before = self.notes.get(place)
        self.notes[place] = (merged(before[0] if before else None, note), key)

    def take(self, event: Event) -> CallNote | None:
        """What was staged for an event, which is over with that."""
        if not self.notes:
            return None
        found = self.notes.pop(_place(event), None)
        return found[0] if found else None

    def others(self, note: CallNote, key: str) -> Iterator[CallNote]:
        """Calls with this key that are being decided at this moment, except the call itself."""
        own = _place(note.event)
        return (one for place, (one, known) in self.notes.items() if known == key and place != own)


def _place(event: Event) -> Place:
    tool = event.tool
    return (event.name, event.session_id, (tool.use_id or "") if tool else "", tool.name if tool else "")
