"""What the newest entries of the ledger tell about agents and hooks: who called, and which hooks failed."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

import msgspec

from interlock.hosts.host import SELF_TEST
from interlock.ledger.reader import LedgerReader
from interlock.store.statements import statements

_LOOKED_AT: Final = 20_000  # entries
_BATCH: Final = 500
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


class _Row(msgspec.Struct):
    hook: str = ""
    type: str = ""
    outcome: str = ""
    reason: str | None = None


class _Body(msgspec.Struct):
    trace: list[_Row] = []


class _Record(msgspec.Struct):
    body: _Body


_record: Final = msgspec.json.Decoder(_Record).decode


def recent_calls(ledger: sqlite3.Connection, *, since: str) -> RecentCalls:
    """Look at the newest entries; actors and failures are those since a time."""
    found = RecentCalls()
    failures: dict[str, HookFailures] = {}
    newest = LedgerReader(ledger).page(limit=1)
    head = newest[0].seq if newest else 0
    cursor = ledger.execute(statements("ledger")["span"], (max(0, head - _LOOKED_AT), head))
    while rows := cursor.fetchmany(_BATCH):
        for op, ts, actor, session, _tool, payload in rows:
            if op != "decision" or session == SELF_TEST:
                continue
            found.last = ts
            if ts < since:
                continue
            found.actors.add(actor)
            if any(mark in payload for mark in _MARKS):
                _add_failures(failures, ts, payload)
    found.failures = sorted(failures.values(), key=lambda one: (-one.count, one.hook))
    return found


def _add_failures(found: dict[str, HookFailures], ts: str, payload: Any) -> None:
    for row in _record(payload).body.trace:
        if row.outcome not in _FAILED:
            continue
        known = found.setdefault(
            row.hook, HookFailures(hook=row.hook, type=row.type, count=0, last=ts, reason="")
        )
        known.count += 1
        known.last, known.reason = ts, row.reason or row.outcome
