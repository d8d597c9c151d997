"""What is about to happen and what has happened: where recording hooks stage and write it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Final, Protocol

import msgspec

from interlock.effects.classification.classify import Classified, Repeat, Replay, RunScope
from interlock.effects.classification.key import Identity, identity_of
from interlock.errors import FailureKind, HookFailedError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote


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


_SHOWN: Final = 500
_MOST: Final = 10_000  # calls remembered


class MemoryBook:
    """Keeps the last call under each key; what is under way, ended well or failed."""

    def __init__(self) -> None:
        self._staged: Final = Staged()
        self._by_key: Final[dict[str, Earlier]] = {}
        self._open: Final[dict[tuple[str, str], str]] = {}  # session and id of the call → its key
        self._lock: Final = threading.RLock()

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call, and tell whether it succeeded before or is under way."""
        with self._lock:
            key = key_of(note)
            busy = next(self._staged.others(note, key), None)
            self._staged.put(note, key)
            if note.call.replay is not Replay.EXACT:
                return None
            return self._by_key.get(key) or (Earlier(name="", status="prepared") if busy else None)

    def close(self, note: CallNote) -> None:
        """Stage the end of a call."""
        with self._lock:
            self._staged.put(note)

    def settle(self, event: Event, decision: Decision) -> None:
        """Keep what was staged; a call that was denied was none."""
        with self._lock:
            note = self._staged.take(event)
            if note is None or event.tool is None:
                return
            about = (event.session_id, event.tool.use_id or "")
            if event.name == EventName.PRE_TOOL_USE:
                if decision.vote is not Vote.DENY:
                    self._begin(about, key_of(note))
                return
            self._end(self._open.pop(about, "") or key_of(note), event)

    def withdraw(self, event: Event) -> None:
        """Drop what was staged."""
        with self._lock:
            self._staged.take(event)

    def _begin(self, about: tuple[str, str], key: str) -> None:
        self._open[about] = key
        while len(self._open) > _MOST:
            del self._open[next(iter(self._open))]
        while len(self._by_key) > _MOST:
            del self._by_key[next(iter(self._by_key))]
        if key not in self._by_key or self._by_key[key].status != "succeeded":
            self._by_key[key] = Earlier(name=f"tc_{key[:10]}", status="prepared")

    def _end(self, key: str, event: Event) -> None:
        if event.name == EventName.POST_TOOL_USE:
            text = receipt_text(event.tool_output)
            self._by_key[key] = Earlier(name=f"tc_{key[:10]}", status="succeeded", receipt=text)
        elif (found := self._by_key.get(key)) is not None and found.status != "succeeded":
            del self._by_key[key]  # it failed: nothing stands against another try


def key_of(note: CallNote) -> str:
    """The key of a staged call; raise HookFailedError when its arguments cannot be compared."""
    if note.event.tool is None:
        raise HookFailedError(FailureKind.CRASH, "only a tool call can be recorded")
    try:
        return identity_of(note.event.tool, note.call).key(note.run)
    except ValueError as error:
        raise HookFailedError(FailureKind.CRASH, f"the call cannot be recorded: {error}") from error


def receipt_text(output: object) -> str:
    """An output as the short text that stands for it."""
    if isinstance(output, str):
        return output[:_SHOWN]
    try:
        return msgspec.json.encode(output).decode()[:_SHOWN]
    except (TypeError, ValueError, RecursionError):
        return repr(output)[:_SHOWN]
