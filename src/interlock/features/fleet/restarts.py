"""What a watched agent's run left behind, and whether, when and with which prompt to restart it."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final, final

import msgspec

from interlock.daemon.client import DaemonError, request
from interlock.errors import InterlockError
from interlock.events.names import EventName
from interlock.features.work.efforts import Efforts, Tasks
from interlock.features.work.records import Session
from interlock.features.work.recovery_text import payload_of, restart_prompt
from interlock.features.work.sessions import COMPACTION, Sessions
from interlock.ledger.reader import Filter, LedgerReader
from interlock.store.clock import timestamp
from interlock.store.database import open_to_read

_SIGNALS: Final = 128  # a shell adds this to the number of the signal that ended a process


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    code: int  # negative: the signal that ended it
    seconds: float  # how long it ran
    stopped: bool = False  # by us, because its window was full
    interrupted: int | None = None  # the signal by which a person ended the watch

    @property
    def exit_code(self) -> int:
        """The code as a shell reports it."""
        return _SIGNALS - self.code if self.code < 0 else self.code

    @property
    def reason(self) -> str:
        if self.stopped:
            return "its context window is full"
        if self.code >= 0:
            return "it ended" if self.code == 0 else f"it exited with code {self.code}"
        try:
            return f"it was killed by {signal.Signals(-self.code).name}"
        except ValueError:  # a number this system has no name for
            return f"it was killed by signal {-self.code}"


class SessionRemains(msgspec.Struct, frozen=True, kw_only=True):
    """What the last session of a run left behind."""

    session: str | None = None  # the host's id; None if none of its hooks was called
    by_person: bool = False  # a person quit it on purpose
    restart: str | None = None  # the prompt written for the next run when the window was full
    loop: str | None = None  # why a hook would have blocked the stop once more, beyond the host's cap
    effort: str | None = None  # the prompt to continue its effort, while that is active
    finished: bool = False  # its effort is finished


STEADY_SECONDS: Final = 60.0  # a run of this length did not crash at the start
LONGEST_PAUSE: Final = 60.0
_LOOP: Final = "Continue with your task; you stopped before it was done: {}"


class Restart(msgspec.Struct, frozen=True, kw_only=True):
    prompt: str | None  # None: the prompt of the last run
    why: str


class NoRestart(msgspec.Struct, frozen=True, kw_only=True):
    code: int
    why: str


def decide_next(end: RunEnd, remains: SessionRemains) -> Restart | NoRestart:
    """Decide what follows a run: what a person did counts first, then what is left to do."""
    if end.interrupted is not None:
        return NoRestart(code=128 + end.interrupted, why="interrupted")
    if remains.by_person and not end.stopped:
        return NoRestart(code=end.exit_code, why="you quit it")
    why = "its effort is finished" if remains.finished else end.reason
    return _find_restart(end, remains) or NoRestart(code=end.exit_code, why=why)


def _find_restart(end: RunEnd, remains: SessionRemains) -> Restart | None:
    if remains.restart is not None:
        return Restart(prompt=remains.restart, why=end.reason)
    if remains.loop is not None:
        why = "a hook blocked the stop, but the host stopped all the same"
        return Restart(prompt=_LOOP.format(remains.loop), why=why)
    if remains.effort is not None:
        return Restart(prompt=remains.effort, why=f"{end.reason}, and its effort is not finished")
    return Restart(prompt=None, why=end.reason) if end.code != 0 and not remains.finished else None


class Pauses:
    """The wait before a restart: none after a steady run, otherwise it doubles."""

    def __init__(self, first: float) -> None:
        self._first: Final = first
        self._short = 0  # short runs in a row

    def next(self, ran: float) -> float:
        """Seconds to wait after a run of `ran` seconds."""
        if ran >= STEADY_SECONDS:
            self._short = 0
            return 0.0
        self._short += 1
        return min(LONGEST_PAUSE, self._first * 2.0 ** min(self._short - 1, 16))


_BY_PERSON: Final = frozenset({"prompt_input_exit", "logout"})  # reasons that only a person causes
_ENTRIES: Final = 50  # of a session, the newest; its end is among them
_SECONDS: Final = 2.0


@final
class RemainsReader:
    """Asks the daemon which sessions run below this process, and the store what became of them."""

    def __init__(self, socket: Path, database: Path) -> None:
        self._socket: Final = socket
        self._database: Final = database
        self._heard = 0  # sessions up to this number belong to earlier runs
        self._since = ""  # when the run began
        self._restart: str | None = None  # the prompt for the next run, once it was seen

    def begin(self) -> None:
        """Start a new run; the first call also makes the daemon follow this process."""
        self._heard = max(self._ask_counts().values(), default=self._heard)
        self._since = timestamp(time.time())
        self._restart = None

    def full(self) -> bool:
        """Whether the window of the running session is full; False if that is unknown."""
        with suppress(InterlockError, OSError):
            self._restart = self._remains_of(self._newest()).restart
        return self._restart is not None

    def remains(self) -> SessionRemains:
        """Return what the run that just ended leaves to do."""
        remains = SessionRemains()
        with suppress(InterlockError, OSError):
            remains = self._remains_of(self._newest(settled=True))
        if remains.restart is None and not remains.finished:
            remains = msgspec.structs.replace(remains, restart=self._restart)
        return remains

    def _ask_counts(self, *, settled: bool = False) -> dict[str, int]:
        try:
            answer = request(self._socket, "watch.below", {"settled": settled}, seconds=_SECONDS)
        except DaemonError:
            return {}
        counts: dict[str, int] = answer["sessions"]
        return counts

    def _newest(self, *, settled: bool = False) -> str | None:
        counts = self._ask_counts(settled=settled)
        later = {number: session for session, number in counts.items() if number > self._heard}
        return later[max(later)] if later else None

    def _remains_of(self, session: str | None) -> SessionRemains:
        if session is None or not self._database.exists():
            return SessionRemains()
        with closing(open_to_read(self._database)) as connection:
            sessions = Sessions(connection)
            rows = [
                row
                for row in sessions.find_all(session)
                if row.host_session_id == session and row.agent_id is None
            ]
            end_reason, loop = _last_events(LedgerReader(connection), session)
            row = rows[0] if rows else None
            effort = finished = None
            if row is not None and row.effort_id is not None:
                row_effort = Efforts(connection).get(row.effort_id)
                finished = not row_effort.active
                if row_effort.active:
                    folder = Tasks(connection).get(row_effort.task_id).dir_path
                    effort = restart_prompt(row_effort, folder, payload_of(sessions.handover(row_effort.id)))
        return SessionRemains(
            session=session,
            by_person=end_reason in _BY_PERSON,
            restart=None if finished else _restart(rows, self._since),
            loop=loop,
            effort=effort,
            finished=bool(finished),
        )


def _restart(rows: Sequence[Session], since: str) -> str | None:
    """Return the prompt written for the next run.

    The host may have compacted the window and started again under the same name before we looked, so an
    older row counts too if compaction ended it during this run.
    """
    for row in rows:
        lately = row.ended_at is None or row.ended_at >= since
        if row.restart_prompt is not None and lately and (row is rows[0] or row.end_reason == COMPACTION):
            return row.restart_prompt
    return None


def _last_events(reader: LedgerReader, session: str) -> tuple[str | None, str | None]:
    """Return why a session ended, and why a hook would have blocked its last stop."""
    entries = reader.page(Filter(session=session, op="decision"), limit=_ENTRIES)
    last = {entry.event: entry.body for entry in reversed(entries)}
    reason = last.get(EventName.SESSION_END, {}).get("extra", {}).get("reason")
    stops = [entry for entry in entries if entry.event in {EventName.STOP, EventName.USER_PROMPT_SUBMIT}]
    stop = stops[0].body if stops and stops[0].event == EventName.STOP else {}
    return reason if isinstance(reason, str) else None, _blocked_reason(stop)


def _blocked_reason(stop: dict[str, Any]) -> str | None:
    """Return the reason of a block that the host's cap turned into a pass."""
    if not stop or stop.get("decision") == "deny":
        return None
    votes = (row for row in stop.get("trace", ()) if row.get("vote") == "deny" and not row.get("shadow"))
    return next((str(row.get("reason") or row.get("hook")) for row in votes), None)
