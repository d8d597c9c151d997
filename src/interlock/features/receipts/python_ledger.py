"""The tool calls of a Python agent, recorded by the daemon where one runs, else in a file of its own."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeAlias

import msgspec

from interlock.daemon.client import DaemonError, request
from interlock.daemon.jsonrpc import Methods
from interlock.effects.classification.book import CallBook, CallNote, Earlier, Staged, key_of
from interlock.effects.classification.classify import Repeat, Replay
from interlock.errors import FailureKind, HookFailedError, InterlockError, StoreError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.receipts.book import final_note
from interlock.features.receipts.call import truncate
from interlock.features.receipts.hook import ENDS, RecordToolUse
from interlock.features.receipts.register import ToolRecord
from interlock.features.receipts.service import RecordedCalls
from interlock.ledger.writer import LedgerWriter
from interlock.patterns.matcher import parse_matcher
from interlock.policy.locations import Locations, locate
from interlock.redaction.redactor import KEYLESS
from interlock.store.clock import timestamp
from interlock.store.database import open_database

_log: Final = logging.getLogger(__name__)
FILE: Final = "tool-ledger.db"  # in the state folder
_SECONDS: Final = 10.0  # for the daemon, or for another process that writes
_MOST: Final = 1_000  # calls given at once
_REMEMBERED: Final = 4_096  # calls under way
_FORGOTTEN_AT_ONCE: Final = 10_000
_DAY: Final = 86_400.0
_LONGEST: Final = 128 * 1024  # bytes of an input or output on the way; less is kept of it anyway
_TOLD: Final = ("duration_ms", "is_interrupt", "reason")  # what the record takes of a host's fields

Status: TypeAlias = Literal["prepared", "running", "succeeded", "failed"]
_Ask: TypeAlias = Callable[[str, dict[str, Any]], Any]


class ToolLedger:
    """Records every call an `Engine` allows, with what came of it; a context manager."""

    def __init__(self, path: str | os.PathLike[str] | None = None, *, keep_days: float = 90.0) -> None:
        """Without a `path`, the daemon keeps the calls; a file in the state folder where none runs.

        In a file of its own, calls that ended more than `keep_days` ago are removed when it is opened.
        """
        if keep_days <= 0:
            raise ValueError(f"keep_days `{keep_days:g}` is out of range; give a number above 0")
        locations = _locations()
        self._file: Final = (
            None
            if path is None and _daemon_takes_calls(locations)
            else _OwnFile(Path(path) if path is not None else locations.state / FILE, keep_days)
        )
        self._ask: Final[_Ask] = self._file.ask if self._file else _of_daemon(locations)
        self._book: Final = _Book(self._ask)

    @property
    def path(self) -> Path | None:
        """The file of its own; None where the daemon keeps the calls."""
        return self._file.path if self._file else None

    @property
    def book(self) -> CallBook:
        """Where an engine's hooks write."""
        return self._book

    @property
    def hook(self) -> Hook:
        """Records what an engine allows; the last hook of all: what any other denies is not a call."""
        return Hook(
            name="tool_ledger",
            events=ENDS,
            handler=RecordToolUse(book=self._book),
            matcher=parse_matcher("*"),
        )

    def calls(
        self,
        *,
        session: str | None = None,
        tool: str | None = None,
        status: Status | None = None,
        limit: int = 100,
    ) -> list[ToolRecord]:
        """Recorded calls, the newest first; raise StoreError when they cannot be read."""
        if not 1 <= limit <= _MOST:
            raise ValueError(f"limit `{limit}` is out of range; give a number from 1 to {_MOST}")
        params = {"session": session, "tool": tool, "status": status, "limit": limit}
        return msgspec.convert(self._ask("receipts.calls", params), list[ToolRecord])

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _Book:
    """Where the recording hook of an engine writes: staged here, recorded when the decision stands."""

    def __init__(self, ask: _Ask) -> None:
        self._ask: Final = ask
        self._lock: Final = threading.RLock()
        self._staged: Final = Staged()
        self._begun: Final[OrderedDict[tuple[str, str], CallNote]] = OrderedDict()

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call, and tell whether it was made before."""
        looks = note.repeat is not Repeat.ALLOW and note.call.replay is Replay.EXACT
        plain = _plain(note)
        key = key_of(plain)
        try:
            told = self._ask("receipts.earlier", _params(plain)) if looks else None
        except InterlockError as error:
            raise HookFailedError(FailureKind.CRASH, str(error)) from error
        with self._lock:
            busy = looks and next(self._staged.others(note, key), None) is not None
            self._staged.put(note, key)
        if told is not None:
            return msgspec.convert(told, Earlier)
        return Earlier(name="", status="prepared") if busy else None

    def close(self, note: CallNote) -> None:
        """Stage the end of a call."""
        with self._lock:
            self._staged.put(note)

    def settle(self, event: Event, decision: Decision) -> None:
        """Record what was staged; raise StoreError for a call that cannot be recorded before it runs."""
        with self._lock:
            note = self._staged.take(event)
        if note is None:
            return
        if event.name != EventName.PRE_TOOL_USE:
            self._record_end(note)
        elif decision.vote is not Vote.DENY:
            note = final_note(note, decision)
            self._ask("receipts.record", _params(_plain(note)))
            with self._lock:
                self._begun[_place(event)] = note
                while len(self._begun) > _REMEMBERED:
                    self._begun.popitem(last=False)

    def withdraw(self, event: Event) -> None:
        """The call was refused after all: drop what was staged, and close what was recorded."""
        with self._lock:
            self._staged.take(event)
            note = self._begun.get(_place(event)) if event.name == EventName.PRE_TOOL_USE else None
        if note is not None:
            refused = msgspec.structs.replace(note.event, name=EventName.PERMISSION_DENIED)
            self._record_end(msgspec.structs.replace(note, event=refused))

    def _record_end(self, note: CallNote) -> None:
        with self._lock:
            self._begun.pop(_place(note.event), None)
        try:
            self._ask("receipts.record", _params(_plain(note)))
        except InterlockError as error:
            # It has happened: its result is worth more to the agent than the record of it.
            _log.warning("the end of a call to %s could not be recorded: %s", note.call.tool, error)


class _OwnFile:
    """The tables of the daemon's database in a file of our own; one thread holds its connection."""

    def __init__(self, path: Path, keep_days: float) -> None:
        self.path: Final = path
        self._methods: Methods = {}
        self._thread: Final = ThreadPoolExecutor(max_workers=1, thread_name_prefix="interlock-tool-ledger")
        try:
            self._connection: Final = self._thread.submit(self._open, keep_days).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The answer the daemon would give."""
        try:
            return self._thread.submit(self._methods[method], params).result()
        except (ValueError, RuntimeError) as error:  # refused, or closed already
            raise StoreError(str(error)) from error

    def close(self) -> None:
        """Close the connection; calls that come later fail."""
        try:
            self._thread.submit(self._connection.close).result()
        except RuntimeError:  # it was closed before
            return
        self._thread.shutdown()

    def _open(self, keep_days: float) -> Any:
        connection = open_database(self.path, busy_seconds=_SECONDS)
        ledger = LedgerWriter(connection, redact=KEYLESS.body, name=KEYLESS.name)
        desk = RecordedCalls(connection, ledger, redact=KEYLESS.body)

        def commit() -> bool:
            ledger.flush()
            return True

        desk.recover()
        desk.forget(timestamp(time.time() - keep_days * _DAY), _FORGOTTEN_AT_ONCE)
        self._methods = desk.of_programs(commit)
        return connection


def _locations() -> Locations:
    return locate(os.environ, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())


def _daemon_takes_calls(locations: Locations) -> bool:
    """Whether a daemon runs that takes the calls of this process: not those of one that an agent started."""
    try:
        request(locations.socket, "receipts.calls", {"limit": 1}, seconds=_SECONDS)
    except DaemonError:
        return False
    return True


def _of_daemon(locations: Locations) -> _Ask:
    def ask(method: str, params: dict[str, Any]) -> Any:
        try:
            return request(locations.socket, method, params, seconds=_SECONDS)
        except DaemonError as error:
            raise StoreError(f"the call cannot be recorded: {error}") from error

    return ask


def _place(event: Event) -> tuple[str, str]:
    return event.session_id, (event.tool.use_id or "") if event.tool else ""


def _params(note: CallNote) -> dict[str, Any]:
    return {"note": msgspec.to_builtins(note)}


def _plain(note: CallNote) -> CallNote:
    """A note of which all is JSON, with no more of the event than the record takes."""
    event, tool = note.event, note.event.tool
    short = Event(
        name=event.name,
        session_id=event.session_id,
        cwd=event.cwd,
        project=event.project,
        actor=event.actor,
        host=event.host,
        tool=tool and ToolCall(name=tool.name, input=_short_input(tool), use_id=tool.use_id),
        tool_output=_short(event.tool_output),
        error=event.error and event.error[:_LONGEST],
        agent_id=event.agent_id,
        agent_type=event.agent_type,
        transcript_path=event.transcript_path,
        permission_mode=event.permission_mode,
        commitment_id=event.commitment_id,
        extra={name: event.extra[name] for name in _TOLD if name in event.extra},
    )
    return msgspec.structs.replace(note, event=short, identity=None)


def _short_input(tool: ToolCall) -> dict[str, Any]:
    short = _short(tool.input)
    return short if isinstance(short, dict) else {"input": short}


def _short(value: Any) -> Any:
    """A value as JSON knows it; of a long one its head, its tail and the digest of all."""
    try:
        written = msgspec.json.encode(value, enc_hook=repr)
    except (TypeError, ValueError, RecursionError):
        return truncate(value, KEYLESS.body).text
    if len(written) > _LONGEST:
        return truncate(value, KEYLESS.body).text
    return msgspec.json.decode(written)
