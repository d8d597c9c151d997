"""What the ledger holds: counted in one pass and in little memory, and the calls and failures of late."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any, Final

import msgspec

from interlock.hosts.host import SELF_TEST
from interlock.ledger.reader import LedgerReader
from interlock.store.statements import statements

_STEP: Final = math.log(1.05)  # a bucket is 5 % wide, and so is the error
_LEAST: Final = 0.001  # milliseconds; what is recorded has three places
_BUCKETS: Final = 512  # up to two years
_COARSE: Final = 4


class Durations:
    """Counts by bucket; adding one costs a logarithm and no memory."""

    def __init__(self) -> None:
        self._counts: Final[dict[int, int]] = {}
        self.count = 0

    def add(self, milliseconds: float) -> None:
        """Take in one duration."""
        self.add_bucket(bucket_of(milliseconds), 1)

    def add_bucket(self, bucket: int, count: int) -> None:
        """Take in durations that were counted before."""
        self._counts[bucket] = self._counts.get(bucket, 0) + count
        self.count += count

    def quantile(self, share: float) -> float | None:
        """The duration this share of them stays within, to 5 %; None when there are none."""
        remaining = share * self.count
        for bucket in sorted(self._counts):
            remaining -= self._counts[bucket]
            if remaining <= 0:
                return longest_in(bucket)
        return None


def bucket_of(milliseconds: float) -> int:
    """The bucket a duration is counted in."""
    return min(0 if milliseconds <= _LEAST else int(math.log(milliseconds / _LEAST) / _STEP) + 1, _BUCKETS)


def longest_in(bucket: int) -> float:
    """The longest duration of a bucket, in milliseconds."""
    return round(_LEAST * math.exp(bucket * _STEP), 3)


def coarse(bucket: int) -> int:
    """One bucket for each four, where there are many durations to keep: to 10 % instead of 5."""
    return bucket // _COARSE * _COARSE + _COARSE // 2


_BATCH: Final = 500
_MOST: Final = 10_000  # names counted on their own; an agent may choose any number of them
OTHERS: Final = "(others)"


class By(StrEnum):
    """What counts are given for, one by one."""

    HOOK = "hook"
    TOOL = "tool"
    ACTOR = "actor"
    SESSION = "session"
    DECISION = "decision"
    DAY = "day"


class Group:
    """The counts of one name."""

    def __init__(self) -> None:
        self.entries = 0
        self.votes: Final[Counter[str]] = Counter()
        self.durations: Final = Durations()


class Counts:
    """Everything that is counted; `groups` only when something is asked for one by one."""

    def __init__(self) -> None:
        self.entries = 0
        self.first: str | None = None
        self.last: str | None = None
        self.ops: Final[Counter[str]] = Counter()
        self.decisions: Final[Counter[str]] = Counter()
        self.denied_by: Final[Counter[str]] = Counter()
        self.tools: Final[Counter[str]] = Counter()
        self.durations: Final = Durations()
        self.open_passes = 0
        self.lost = 0  # what gap entries tell of
        self.groups: Final[dict[str, Group]] = {}


class _Row(msgspec.Struct):
    hook: str = ""
    vote: str = ""
    duration_ms: float = 0.0


class _Body(msgspec.Struct):
    decided_by: Any = None
    decision: Any = None
    duration_ms: Any = None
    open_passes: Any = 0
    lost: Any = 0
    trace: msgspec.Raw = msgspec.Raw(b"[]")


class _Record(msgspec.Struct):
    body: _Body


_record: Final = msgspec.json.Decoder(_Record).decode
_trace: Final = msgspec.json.Decoder(list[_Row]).decode

Progress = Callable[[int], object]


def count(
    ledger: sqlite3.Connection,
    by: By | None = None,
    *,
    since: str | None = None,
    until: str | None = None,
    ends: tuple[int, int] | None = None,
    progress: Progress | None = None,
) -> Counts:
    """Count the entries of a time; `ends` are the seqs it can lie between, where they are known."""
    counts = Counts()
    for rows in _batches(ledger, ends or (0, 2**63 - 1)):
        for row in rows:
            if (since is None or row[1] >= since) and (until is None or row[1] < until):
                _take(counts, row, by)
        if progress is not None:
            progress(counts.entries)
    return counts


def _batches(ledger: sqlite3.Connection, ends: tuple[int, int]) -> Iterator[list[Any]]:
    cursor = ledger.execute(statements("ledger")["span"], ends)
    while rows := cursor.fetchmany(_BATCH):
        yield rows


def _take(counts: Counts, row: Any, by: By | None) -> None:
    op, ts, actor, session, tool, payload = row
    body = _record(payload).body
    counts.entries += 1
    counts.first = ts if counts.first is None else min(counts.first, ts)
    counts.last = ts if counts.last is None else max(counts.last, ts)
    _one_more(counts.ops, op)
    if op in {"gap", "decision"}:
        counts.open_passes += body.open_passes if isinstance(body.open_passes, int) else 0
    if op == "gap" and isinstance(body.lost, int):
        counts.lost += body.lost
    if op != "decision" or not isinstance(body.decision, str):
        return
    counts.decisions[body.decision] += 1
    if body.decision == "deny":
        _one_more(counts.denied_by, body.decided_by if isinstance(body.decided_by, str) else "-")
    if tool is not None:
        _one_more(counts.tools, tool)
    duration = body.duration_ms if isinstance(body.duration_ms, (int, float)) else None
    if duration is not None:
        counts.durations.add(duration)
    if by is By.HOOK:
        for hook in _trace(body.trace):
            _add(counts, hook.hook, hook.vote, hook.duration_ms)
    elif by is not None:
        names = {By.TOOL: tool, By.ACTOR: actor, By.SESSION: session, By.DAY: ts[:10]}
        _add(counts, names.get(by, body.decision) or "-", body.decision, duration)


def _add(counts: Counts, name: str, vote: str, duration: float | None) -> None:
    if name not in counts.groups and len(counts.groups) >= _MOST:
        name = OTHERS
    group = counts.groups.setdefault(name, Group())
    group.entries += 1
    group.votes[vote] += 1
    if duration is not None:
        group.durations.add(duration)


def _one_more(counter: Counter[str], name: str) -> None:
    counter[name if name in counter or len(counter) < _MOST else OTHERS] += 1


_LOOKED_AT: Final = 20_000  # entries
_FAILED: Final = frozenset({"error", "timeout"})
_MARKS: Final = tuple(f'"outcome":"{word}"'.encode() for word in _FAILED)


class HookFailures(msgspec.Struct):
    """The failures of one hook."""

    hook: str
    type: str
    count: int
    last: str  # when
    reason: str  # of the last


class RecentCalls(msgspec.Struct):
    """What was found."""

    last: str | None = None  # when an agent called, however long ago
    actors: set[str] = set()
    failures: list[HookFailures] = []  # the most frequent first


class _FailedRow(msgspec.Struct):
    hook: str = ""
    type: str = ""
    outcome: str = ""
    reason: str | None = None


class _TraceOnly(msgspec.Struct):
    trace: list[_FailedRow] = []


class _EntryTrace(msgspec.Struct):
    body: _TraceOnly


_decode_trace: Final = msgspec.json.Decoder(_EntryTrace).decode


def recent_calls(ledger: sqlite3.Connection, *, since: str) -> RecentCalls:
    """Look at the newest entries; actors and failures are those since a time."""
    calls = RecentCalls()
    failures: dict[str, HookFailures] = {}
    newest = LedgerReader(ledger).page(limit=1)
    head = newest[0].seq if newest else 0
    for rows in _batches(ledger, (max(0, head - _LOOKED_AT), head)):
        for op, ts, actor, session, _tool, payload in rows:
            if op != "decision" or session == SELF_TEST:
                continue
            calls.last = ts
            if ts < since:
                continue
            calls.actors.add(actor)
            if any(mark in payload for mark in _MARKS):
                _add_failures(failures, ts, payload)
    calls.failures = sorted(failures.values(), key=lambda hook: (-hook.count, hook.hook))
    return calls


def _add_failures(failures: dict[str, HookFailures], ts: str, payload: Any) -> None:
    for row in _decode_trace(payload).body.trace:
        if row.outcome not in _FAILED:
            continue
        failure = failures.setdefault(
            row.hook, HookFailures(hook=row.hook, type=row.type, count=0, last=ts, reason="")
        )
        failure.count += 1
        failure.last, failure.reason = ts, row.reason or row.outcome
