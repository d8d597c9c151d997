"""Recorded calls and step marks in the store: each row is written with its decision, or not at all."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec

from interlock.effects.classification.book import CallNote, Earlier, Staged
from interlock.effects.classification.classify import Repeat, Replay, SideEffect
from interlock.errors import FailureKind, HookFailedError, StoreError
from interlock.events.bounded_dict import BoundedDict
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.verdict import Vote
from interlock.features.receipts.call_table import CallTable, describe_error

_MOST_SESSIONS: Final = 4_096
# These begin a new step. So does a restart of the daemon, which remembers no steps.
_ANEW: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.SESSION_START})


_REMEMBERED: Final = 4_096
# Interlock cannot see what such a call has left behind.
_ELSEWHERE: Final = frozenset({SideEffect.EXTERNAL, SideEffect.MEMORY})

# The agent's turn is over, or another one begins: none of its calls is still running.
_OVER: Final = frozenset({EventName.STOP, EventName.STOP_FAILURE, EventName.USER_PROMPT_SUBMIT})
_CallKey = tuple[str, str]  # session, and the host's id of the call


class _CallStart(NamedTuple):
    """A call that this process prepared."""

    at: float
    main: bool  # by the main agent; a sub-agent may go on when the turn is over
    elsewhere: bool


class ReceiptStore:
    """Stages what hooks see; `settle` writes it into the transaction that the ledger's next flush ends."""

    def __init__(self, calls: CallTable, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._calls: Final = calls
        self._clock: Final = clock
        self._steps: Final[BoundedDict[str, str]] = BoundedDict(_MOST_SESSIONS)  # session → its current step
        self._staged: Final = Staged()
        self._prepared: Final[BoundedDict[_CallKey, _CallStart]] = BoundedDict(_REMEMBERED)

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call and return an earlier one like it; a call that cannot be recorded must not run."""
        try:
            note = msgspec.structs.replace(note, identity=self._calls.identity(note))
            key = self._calls.key(note)
            looks = note.repeat is not Repeat.ALLOW and note.call.replay is Replay.EXACT
            earlier = self._calls.earlier(key, note) if looks else None
        except (ValueError, sqlite3.Error, StoreError) as error:
            raise HookFailedError(
                FailureKind.CRASH, f"the call cannot be recorded: {describe_error(error)}"
            ) from error
        busy = looks and next(self._staged.others(note, key), None) is not None
        self._staged.put(note, key)
        return earlier or (Earlier(name="", status="prepared") if busy else None)

    def close(self, note: CallNote) -> None:
        self._staged.put(note)

    def settle(self, event: Event, decision: Decision) -> None:
        if event.tool is None:
            self._look_back(event)
            if event.name in _ANEW and event.agent_id is None:  # a sub-agent's prompt begins no step
                self._steps.pop(event.session_id, None)
            return
        note = self._staged.take(event) if self._staged.notes else None
        if note is None:
            return
        if event.name != EventName.PRE_TOOL_USE:
            with self._calls.step():
                self._end(note)
        elif decision.vote is not Vote.DENY:
            with self._calls.step():
                final, step = final_note(note, decision), self._step(event.session_id)
                self._calls.mark(step, self._calls.prepare(final, step), final)
            self._prepared[use_key(event)] = _CallStart(
                self._clock(), event.agent_id is None, note.call.effect in _ELSEWHERE
            )

    def withdraw(self, event: Event) -> None:
        """Undo what was staged or written for a call that was refused after all."""
        self._staged.take(event)
        place = use_key(event)
        if event.name == EventName.PRE_TOOL_USE and self._prepared.pop(place, None) is not None:
            with suppress(StoreError), self._calls.step():
                self._calls.withdraw(*place)

    def _step(self, session: str) -> str:
        step = self._steps.get(session)
        if step is None:
            step = self._steps[session] = f"st_{secrets.token_hex(5)}"
        return step

    def _end(self, note: CallNote) -> None:
        event = note.event
        name = self._calls.open_of(note)
        if event.name == EventName.PERMISSION_DENIED:  # by the host, after us: the call never ran
            why = event.extra.get("reason")
            if name is not None:
                self._calls.failed(name, code="refused", detail=why if isinstance(why, str) else None)
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

    def _look_back(self, event: Event) -> None:
        """Mark calls of a finished turn that the host never ended as not run: the user declined them.

        This is a guess, so it is made only for calls whose effect the agent can check itself. When a session
        starts again, its host may have died during the call, so nothing is concluded.
        """
        if not self._prepared or event.name not in _OVER | {EventName.SESSION_START}:
            return
        mine = [place for place in self._prepared if place[0] == event.session_id]
        if event.name == EventName.SESSION_START:
            for place in mine:
                del self._prepared[place]
            return
        idle = [place for place in mine if self._prepared[place].main and not self._prepared[place].elsewhere]
        if idle and event.agent_id is None:
            with self._calls.step():
                for place in idle:
                    self._calls.withdraw(*place, code="not_run")
            for place in idle:
                del self._prepared[place]

    def _duration(self, event: Event) -> float | None:
        """The host's own duration, or the time since this process saw the call begin."""
        start = self._prepared.pop(use_key(event), None)
        reported = event.extra.get("duration_ms")
        if isinstance(reported, int | float) and not isinstance(reported, bool) and reported >= 0:
            return float(reported)
        return None if start is None else round((self._clock() - start.at) * 1000, 3)


def final_note(note: CallNote, decision: Decision) -> CallNote:
    """The note with the input as the hooks left it, which is what runs."""
    final, tool = decision.updated_input, note.event.tool
    if final is None or tool is None or final == tool.input:
        return note
    return msgspec.structs.replace(note, event=note.event.with_input(final), identity=None)


def use_key(event: Event) -> _CallKey:
    return event.session_id, (event.tool.use_id or "") if event.tool else ""
