"""What happened by the hour: decisions, durations, hooks and sessions, counted once when they are indexed."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from interlock.events.decision import needs_approval
from interlock.events.names import EventName
from interlock.ledger.entry import COLUMNS, Row
from interlock.search.counts import bucket_of, coarse
from interlock.store.statements import statements

TABLES: Final = (
    *("hours", "hour_durations", "hook_hours", "hook_days", "hook_durations", "denials", "seen_sessions"),
)
HOUR: Final = 13  # characters of a time that name its hour
DAY: Final = 10
_LATER: Final = "\uffff"  # after every time
_OP, _TS, _ACTOR, _WORKSPACE = (COLUMNS.index(name) for name in ("op", "ts", "actor", "workspace"))
_SESSION, _EVENT, _DECISION = (COLUMNS.index(name) for name in ("session_id", "event", "decision"))
_PAYLOAD: Final = COLUMNS.index("payload")
_FAILED: Final = frozenset({"error", "timeout"})
_AGAINST: Final = frozenset({"ask", "deny"})
_LONGEST: Final = 400  # characters of a name that are kept


class _Row(msgspec.Struct, gc=False):
    hook: str = ""
    source: str = ""
    matcher: str = ""
    vote: str = ""
    outcome: str = ""
    duration_ms: float = 0.0
    passed_open: bool = False


class _Body(msgspec.Struct):
    approval: str | None = None
    decided_by: str | None = None
    reason: str | None = None
    duration_ms: float | None = None
    trace: list[_Row] = []


class _Record(msgspec.Struct):
    body: _Body


_record: Final = msgspec.json.Decoder(_Record).decode


class _SessionCounts:
    """One session in one group of entries."""

    def __init__(self, row: Row) -> None:
        self.actor, self.workspace = row[_ACTOR], row[_WORKSPACE]
        self.first = self.last = row[_TS]
        self.newest = self.entries = self.calls = self.asks = self.denials = 0

    def take(self, row: Row, decision: str | None) -> None:
        self.first, self.last = min(self.first, row[_TS]), max(self.last, row[_TS])
        self.newest = row[0]
        self.entries += 1
        if row[_OP] == "decision":
            self.calls += row[_EVENT] == EventName.PRE_TOOL_USE
            self.asks += decision == "ask"
            self.denials += decision == "deny"

    def values(self) -> tuple[Any, ...]:
        span = (self.actor, self.workspace, self.first, self.last, self.newest)
        return (*span, self.entries, self.calls, self.asks, self.denials)


def _body(row: Row) -> _Body | None:
    try:
        return _record(row[_PAYLOAD]).body
    except msgspec.ValidationError:  # imported by hand, or of a version to come: counted, and no more
        return None


def _counted_as(decision: Any, body: _Body | None) -> Any:
    """A call that is denied until somebody approves it counts as asked about, as on every page."""
    if decision == "deny" and body is not None and needs_approval(body.approval, body.reason):
        return "ask"
    return decision


class Hourly:
    """Counts of one group of entries, to be added to those that are kept."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._hours: Final[Counter[tuple[str, str]]] = Counter()
        self._durations: Final[Counter[tuple[str, int]]] = Counter()
        self._hooks: Final[dict[tuple[str, str, str], list[int]]] = {}
        self._hook_durations: Final[dict[tuple[str, str, str], dict[int, int]]] = {}
        self._denials: Final[Counter[tuple[str, str, str]]] = Counter()
        self._denied_last: Final[dict[tuple[str, str, str], int]] = {}
        self._sessions: Final[dict[str, _SessionCounts]] = {}
        for row in rows:
            decided = row[_OP] == "decision" and row[_DECISION] is not None
            body = _body(row) if decided else None
            decision = _counted_as(row[_DECISION], body)
            if row[_SESSION] is not None:
                self._sessions.setdefault(row[_SESSION], _SessionCounts(row)).take(row, decision)
            if decided:
                self._take(row, decision, body)

    def _take(self, row: Row, decision: str, body: _Body | None) -> None:
        hour = row[_TS][:HOUR]
        self._hours[hour, decision] += 1
        if body is None:
            return
        if body.duration_ms is not None:
            self._durations[hour, bucket_of(body.duration_ms)] += 1
        for hook in body.trace:
            self._count_hook(hour, hook)
        if decision == "deny":
            self._count_denial(row, body)

    def _count_hook(self, hour: str, hook: _Row) -> None:
        """The hot part of filling the index: once for every hook of every decision."""
        key = (hour, hook.hook, hook.source)
        counts = self._hooks.get(key)
        if counts is None:
            counts = self._hooks[key] = [0, 0, 0, 0, 0]
            self._hook_durations[key] = {}
        counts[0] += 1
        if hook.vote == "deny":
            counts[2] += 1
        elif hook.vote == "ask":
            counts[1] += 1
        if hook.outcome in _FAILED:
            counts[3] += 1
            counts[4] += hook.passed_open
        durations, bucket = self._hook_durations[key], coarse(bucket_of(hook.duration_ms))
        durations[bucket] = durations.get(bucket, 0) + 1

    def _count_denial(self, row: Row, body: _Body) -> None:
        # A rule that asks denies where a person has said no.
        deciding = [hook for hook in body.trace if hook.hook == body.decided_by and hook.vote in _AGAINST]
        matcher = deciding[-1].matcher if deciding else ""
        key = (row[_TS][:DAY], (body.decided_by or "-")[:_LONGEST], matcher[:_LONGEST])
        self._denials[key] += 1
        self._denied_last[key] = row[0]

    def add_to(self, connection: sqlite3.Connection) -> None:
        """Add these counts to those in the index, inside its transaction."""
        sql = statements("hourly")
        hooks = [(*_key_columns(key), *counts) for key, counts in self._hooks.items()]
        for name, rows in (
            ("add_hour", [(*key, count) for key, count in self._hours.items()]),
            ("add_hour_duration", [(*key, count) for key, count in self._durations.items()]),
            ("add_hook_hour", hooks),
            ("add_hook_day", hooks),
            ("add_hook_duration", list(self._duration_rows())),
            ("add_denial", [(*key, count, self._denied_last[key]) for key, count in self._denials.items()]),
            ("add_seen_session", [(name, *session.values()) for name, session in self._sessions.items()]),
        ):
            connection.executemany(sql[name], rows)

    def _duration_rows(self) -> Iterator[tuple[str, str, str, int, int]]:
        for key, durations in self._hook_durations.items():
            hour, hook, file = _key_columns(key)
            yield from ((hour[:DAY], hook, file, bucket, count) for bucket, count in durations.items())


def _key_columns(key: tuple[str, str, str]) -> tuple[str, str, str]:
    hour, hook, source = key
    return hour, hook[:_LONGEST], file_of(source)[:_LONGEST]


def forget_before(connection: sqlite3.Connection, *, all_of_it: bool) -> None:
    """Forget the hours that are wholly before what is left; of the first hour all stays counted."""
    sql = statements("hourly")
    earliest = None if all_of_it else connection.execute(sql["earliest"]).fetchone()[0]
    for table in TABLES:
        connection.execute(sql[f"forget_{table}"], ((earliest or _LATER)[:HOUR],))


def file_of(source: str) -> str:
    """The file of a hook's source: lines move with every edit above them."""
    file, _, line = source.rpartition(":")
    return file if line.isdecimal() and file else source
