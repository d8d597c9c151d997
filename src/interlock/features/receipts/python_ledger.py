"""The tool calls of a Python agent, recorded by the daemon where one runs, else in a file of its own."""

from __future__ import annotations

import logging
import os
import threading
import time
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
from interlock.events.bounded_dict import BoundedDict
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.hook import Hook
from interlock.events.names import EventName
from interlock.events.tool import ToolCall
from interlock.events.verdict import Vote
from interlock.features.receipts.book import final_note, use_key
from interlock.features.receipts.hook import ENDS, RecordToolUse
from interlock.features.receipts.records import ToolRecord, truncate
from interlock.features.receipts.service import RecordedCalls
from interlock.ledger.writer import LedgerWriter
from interlock.patterns.matcher import parse_matcher
from interlock.policy.locations import Locations, locate
from interlock.redaction.redactor import KEYLESS
from interlock.store.clock import timestamp
from interlock.store.database import open_database

_log: Final = logging.getLogger(__name__)
FILE: Final = "tool-ledger.db"  # in the state folder
_SECONDS: Final = 10.0  # waiting for the daemon, or for another process that writes
_MOST: Final = 1_000  # calls returned at once
_REMEMBERED: Final = 4_096  # running calls
_FORGOTTEN_AT_ONCE: Final = 10_000
_DAY: Final = 86_400.0
_LONGEST: Final = 128 * 1024  # bytes of an input or output that are sent; less is stored anyway
_HOST_FIELDS: Final = ("duration_ms", "is_interrupt", "reason")  # those that are recorded

Status: TypeAlias = Literal["prepared", "running", "succeeded", "failed"]
_Ask: TypeAlias = Callable[[str, dict[str, Any]], Any]


class ToolLedger:
    """Records every call an `Engine` allows, and how it ended; a context manager."""

    def __init__(self, path: str | os.PathLike[str] | None = None, *, keep_days: float = 90.0) -> None:
        """Without a `path`, the daemon stores the calls, or a file in the state folder if none runs.

        Calls that ended more than `keep_days` ago are removed when the file is opened.
        """
        if keep_days <= 0:
            raise ValueError(f"keep_days `{keep_days:g}` is out of range; give a number above 0")
        locations = locate(os.environ, home=Path.home(), cwd=Path.cwd(), uid=os.getuid())
        self._file: Final = (
            None
            if path is None and _daemon_takes_calls(locations)
            else _OwnFile(Path(path) if path is not None else locations.state / FILE, keep_days)
        )
        self._ask: Final[_Ask] = self._file.ask if self._file else _daemon_client(locations)
        self._book: Final = _Book(self._ask)

    @property
    def path(self) -> Path | None:
        """The file with the calls; None if the daemon stores them."""
        return self._file.path if self._file else None

    @property
    def book(self) -> CallBook:
        """Where the hooks of an engine record calls."""
        return self._book

    @property
    def hook(self) -> Hook:
        """The recording hook; it must come last, because a call that another hook denies never happens."""
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
        """Recorded calls, newest first; raise StoreError if they cannot be read."""
        if not 1 <= limit <= _MOST:
            raise ValueError(f"limit `{limit}` is out of range; give a number from 1 to {_MOST}")
        params = {"session": session, "tool": tool, "status": status, "limit": limit}
        return msgspec.convert(self._ask("receipts.calls", params), list[ToolRecord])

    def close(self) -> None:
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
    """Stages calls of an engine, and records them when their decision is final."""

    def __init__(self, ask: _Ask) -> None:
        self._ask: Final = ask
        self._lock: Final = threading.RLock()
        self._staged: Final = Staged()
        self._running: Final[BoundedDict[tuple[str, str], CallNote]] = BoundedDict(_REMEMBERED)

    def prepare(self, note: CallNote) -> Earlier | None:
        looks = note.repeat is not Repeat.ALLOW and note.call.replay is Replay.EXACT
        plain = _plain(note)
        key = key_of(plain)
        try:
            earlier = self._ask("receipts.earlier", _params(plain)) if looks else None
        except InterlockError as error:
            raise HookFailedError(FailureKind.CRASH, str(error)) from error
        with self._lock:
            busy = looks and next(self._staged.others(note, key), None) is not None
            self._staged.put(note, key)
        if earlier is not None:
            return msgspec.convert(earlier, Earlier)
        return Earlier(name="", status="prepared") if busy else None

    def close(self, note: CallNote) -> None:
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
                self._running[use_key(event)] = note

    def withdraw(self, event: Event) -> None:
        """Drop what was staged for a call that was refused after all, and close what was recorded."""
        with self._lock:
            self._staged.take(event)
            note = self._running.get(use_key(event)) if event.name == EventName.PRE_TOOL_USE else None
        if note is not None:
            refused = msgspec.structs.replace(note.event, name=EventName.PERMISSION_DENIED)
            self._record_end(msgspec.structs.replace(note, event=refused))

    def _record_end(self, note: CallNote) -> None:
        with self._lock:
            self._running.pop(use_key(note.event), None)
        try:
            self._ask("receipts.record", _params(_plain(note)))
        except InterlockError as error:
            # The call has happened, and the agent needs its result more than the record.
            _log.warning("the end of a call to %s could not be recorded: %s", note.call.tool, error)


class _OwnFile:
    """A database of its own with the daemon's tables; one thread holds its connection."""

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
        calls = RecordedCalls(connection, ledger, redact=KEYLESS.body)

        def commit() -> bool:
            ledger.flush()
            return True

        calls.recover()
        calls.table.forget(timestamp(time.time() - keep_days * _DAY), _FORGOTTEN_AT_ONCE)
        self._methods = calls.of_programs(commit)
        return connection


def _daemon_takes_calls(locations: Locations) -> bool:
    """Whether a daemon runs and records calls of this process; it refuses processes that an agent started."""
    try:
        request(locations.socket, "receipts.calls", {"limit": 1}, seconds=_SECONDS)
    except DaemonError:
        return False
    return True


def _daemon_client(locations: Locations) -> _Ask:
    def ask(method: str, params: dict[str, Any]) -> Any:
        try:
            return request(locations.socket, method, params, seconds=_SECONDS)
        except DaemonError as error:
            raise StoreError(f"the call cannot be recorded: {error}") from error

    return ask


def _params(note: CallNote) -> dict[str, Any]:
    return {"note": msgspec.to_builtins(note)}


def _plain(note: CallNote) -> CallNote:
    """The note as plain JSON, with only the parts of the event that are recorded."""
    event, tool = note.event, note.event.tool
    tool_input = tool and _shorten(tool.input)
    arguments = tool_input if isinstance(tool_input, dict) else {"input": tool_input}
    short = msgspec.structs.replace(
        event,
        tool=tool and ToolCall(tool.name, arguments, tool.use_id),
        tool_output=_shorten(event.tool_output),
        error=event.error and event.error[:_LONGEST],
        prompt=None,
        commitment=None,
        session=None,
        effort=None,
        extra={name: event.extra[name] for name in _HOST_FIELDS if name in event.extra},
    )
    return msgspec.structs.replace(note, event=short, identity=None)


def _shorten(value: Any) -> Any:
    """The value as plain JSON; of a long one the head, the tail and the digest."""
    try:
        written = msgspec.json.encode(value, enc_hook=repr)
    except (TypeError, ValueError, RecursionError):
        written = b""
    if written and len(written) <= _LONGEST:
        return msgspec.json.decode(written)
    return truncate(value, KEYLESS.body).text
