"""The book of an engine without a store; it lives as long as the process."""

from __future__ import annotations

import threading
from typing import Final

import msgspec

from interlock.effects.classification.book import CallNote, Earlier, Staged
from interlock.effects.classification.classes import Replay
from interlock.effects.classification.key import identity_of
from interlock.errors import FailureKind, HookFailedError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote

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
