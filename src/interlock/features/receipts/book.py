"""The book of calls in the store: a row is written with the decision it belongs to, or not at all."""

from __future__ import annotations

import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, NamedTuple

import msgspec

from interlock.effects.classification.book import CallNote, Earlier, Staged
from interlock.effects.classification.classify import Repeat, Replay, SideEffect
from interlock.errors import FailureKind, HookFailedError, StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.features.receipts.steps import Steps
from interlock.features.receipts.tool_ledger import ToolLedger
from interlock.ledger.writer import LedgerWriter
from interlock.store.errors import explain

_REMEMBERED: Final = 4_096
# What such a call has left behind cannot be seen from here.
_ELSEWHERE: Final = frozenset({SideEffect.EXTERNAL, SideEffect.MEMORY})

# The agent's turn is over, or another one begins: nothing of it is under way.
_OVER: Final = frozenset({EventName.STOP, EventName.STOP_FAILURE, EventName.USER_PROMPT_SUBMIT})
_Place = tuple[str, str]  # session, and the host's id of the call


class _Begun(NamedTuple):
    """A call that was prepared by this process."""

    at: float
    main: bool  # of the main agent; a sub-agent may go on when the turn is over
    elsewhere: bool


class ReceiptStore:
    """Stages what hooks see; `settle` writes it into the transaction that the ledger's next flush ends."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        calls: ToolLedger,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ledger: Final = ledger
        self._calls: Final = calls
        self._clock: Final = clock
        self._steps: Final = Steps(connection, lambda: ledger.head, calls.now, calls.without_secrets)
        self._staged: Final = Staged()
        self._begun: Final[OrderedDict[_Place, _Begun]] = OrderedDict()

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call, and tell whether it was made before; without the store, no call."""
        try:
            note = msgspec.structs.replace(note, identity=self._calls.identity(note))
            key = self._calls.key(note)
            looks = note.repeat is not Repeat.ALLOW and note.call.replay is Replay.EXACT
            found = self._calls.earlier(key, note) if looks else None
        except (ValueError, sqlite3.Error, StoreError) as error:
            raise HookFailedError(FailureKind.CRASH, f"the call cannot be recorded: {_why(error)}") from error
        busy = looks and next(self._staged.others(note, key), None) is not None
        self._staged.put(note, key)
        return found or (Earlier(name="", status="prepared") if busy else None)

    def close(self, note: CallNote) -> None:
        """Stage the end of a call."""
        self._staged.put(note)

    def settle(self, event: Event, decision: Decision) -> None:
        """Write what was staged for an event; raise StoreError when it cannot be written."""
        if event.tool is None:
            self._look_back(event)
            self._steps.follow(event)
            return
        note = self._staged.take(event) if self._staged.notes else None
        if note is None:
            return
        if event.name != EventName.PRE_TOOL_USE:
            with self.step():
                self._end(note)
        elif decision.vote is not Vote.DENY:
            with self.step():
                self._begin(final_note(note, decision))
            self._remember(note)

    def withdraw(self, event: Event) -> None:
        """The call was refused: what was staged or written for it is undone."""
        self._staged.take(event)
        place = _place(event)
        if event.name == EventName.PRE_TOOL_USE and self._begun.pop(place, None) is not None:
            with suppress(StoreError), self.step():
                self._calls.withdraw(*place)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Several changes as one, inside the transaction that the ledger's next flush ends."""
        try:
            with self._ledger.step("receipts"):
                yield
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(f"the call cannot be recorded: {_why(error)}") from error

    def _begin(self, note: CallNote) -> None:
        step = self._steps.current(note.event.session_id)
        self._steps.mark(step, self._calls.prepare(note, step), note)

    def _end(self, note: CallNote) -> None:
        event = note.event
        name = self._calls.open_of(note)
        if event.name == EventName.PERMISSION_DENIED:
            self._turned_down(name, event)
            return
        if name is None:  # nobody saw it begin: the hook is newer than the call
            name = self._calls.prepare(note)
        duration = self._duration(event)
        if event.name == EventName.POST_TOOL_USE:
            self._calls.receive(name, event.tool_output)
            self._calls.succeeded(name, duration=duration)
            return
        code = "interrupted" if event.extra.get("is_interrupt") is True else "error"
        waits = note.call.effect in _ELSEWHERE
        self._calls.failed(name, code=code, detail=event.error, duration=duration, waits=waits)

    def _turned_down(self, name: str | None, event: Event) -> None:
        """The host itself said no after us: the call never ran."""
        why = event.extra.get("reason")
        if name is not None:
            self._calls.failed(name, code="refused", detail=why if isinstance(why, str) else None)

    def _look_back(self, event: Event) -> None:
        """Calls of a turn that is over and that the host did not end were turned down at its prompt.

        That is only a conclusion: it counts for what the agent itself can look at. And where a session starts
        again its host may have died, so that nothing follows.
        """
        if not self._begun or event.name not in _OVER | {EventName.SESSION_START}:
            return
        mine = [place for place in self._begun if place[0] == event.session_id]
        if event.name == EventName.SESSION_START:
            for place in mine:
                del self._begun[place]
            return
        idle = [place for place in mine if self._begun[place].main and not self._begun[place].elsewhere]
        if idle and event.agent_id is None:
            with self.step():
                for place in idle:
                    self._calls.withdraw(*place, code="not_run")
            for place in idle:
                del self._begun[place]

    def _remember(self, note: CallNote) -> None:
        event, elsewhere = note.event, note.call.effect in _ELSEWHERE
        self._begun[_place(event)] = _Begun(self._clock(), event.agent_id is None, elsewhere)
        while len(self._begun) > _REMEMBERED:
            self._begun.popitem(last=False)

    def _duration(self, event: Event) -> float | None:
        """As the host tells it, else by our own clock, which does not outlive this process."""
        begun = self._begun.pop(_place(event), None)
        told = event.extra.get("duration_ms")
        if isinstance(told, int | float) and not isinstance(told, bool) and told >= 0:
            return float(told)
        return None if begun is None else round((self._clock() - begun.at) * 1000, 3)


def final_note(note: CallNote, decision: Decision) -> CallNote:
    """What would run is what is recorded: the input as the hooks left it."""
    final, tool = decision.updated_input, note.event.tool
    if final is None or tool is None or final == tool.input:
        return note
    return msgspec.structs.replace(note, event=note.event.with_input(final), identity=None)


def _place(event: Event) -> _Place:
    return event.session_id, (event.tool.use_id or "") if event.tool else ""


def _why(error: Exception) -> str:
    return explain(error) if isinstance(error, sqlite3.Error) else str(error)
