"""What is about to happen and what has happened: where recording hooks stage and write it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

import msgspec

from interlock.effects.classification.classes import Classified, Repeat, RunScope
from interlock.effects.classification.key import Identity
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.tool import JsonObject


class CallNote(msgspec.Struct, frozen=True, kw_only=True):
    """A call as a recording hook sees it."""

    event: Event
    call: Classified
    scope: RunScope = RunScope.SESSION
    repeat: Repeat = Repeat.ALLOW
    effects: JsonObject = {}  # what a shell text creates, writes, deletes and reaches
    identity: Identity | None = None  # once somebody has looked for it

    @property
    def run(self) -> str:
        """What the call belongs to: a call of another run is another call."""
        return self.event.session_id if self.scope is RunScope.SESSION else project_of(self.event)


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """The same call, made before."""

    name: str  # `tc_…`; empty while it is only being decided
    status: str
    at: str = ""
    receipt: str | None = None  # what came of it, as far as it is kept


class CallBook(Protocol):
    """A hook stages what it sees; what was staged is written when the decision about the call stands."""

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call and tell whether it was made before; raise HookFailedError when that fails."""

    def close(self, note: CallNote) -> None:
        """Stage the end of a call, with its output or error."""

    def settle(self, event: Event, decision: Decision) -> None:
        """Write what was staged for an event, or drop it when the call is denied."""

    def withdraw(self, event: Event) -> None:
        """There is no decision after all, and the call does not happen."""


class NoBook:
    """Where nothing is kept: a policy that is only looked at, or tried on what has happened."""

    def prepare(self, note: CallNote) -> Earlier | None:  # noqa: ARG002 - the protocol's signature
        """No call was ever made."""
        return None

    def close(self, note: CallNote) -> None:
        """Nothing is kept."""

    def settle(self, event: Event, decision: Decision) -> None:
        """Nothing was staged."""

    def withdraw(self, event: Event) -> None:
        """Nothing was staged."""


NO_BOOK: Final = NoBook()


def project_of(event: Event) -> str:
    """The folder a session works in."""
    return event.project or event.cwd


def merged(before: CallNote | None, note: CallNote) -> CallNote:
    """Two hooks' views of one call: the wider scope, and the effects of whoever read them."""
    if before is None:
        return note
    return msgspec.structs.replace(
        note,
        scope=max(note.scope, before.scope, key=list(RunScope).index),
        effects=note.effects or before.effects,
    )


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
