"""Which hooks failed of late: raised, timed out, or gave no usable answer."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

import msgspec

from interlock.ledger.reader import LedgerReader
from interlock.store.statements import statements

LOOKED_AT: Final = 20_000  # entries; a doctor is asked about now
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


def hook_failures(ledger: sqlite3.Connection) -> list[HookFailures]:
    """Those of the newest entries, the most frequent first."""
    found: dict[str, HookFailures] = {}
    last = LedgerReader(ledger).page(limit=1)
    newest = last[0].seq if last else 0
    cursor = ledger.execute(statements("ledger")["span"], (max(0, newest - LOOKED_AT), newest))
    while rows := cursor.fetchmany(_BATCH):
        for op, ts, _actor, _session, _tool, payload in rows:
            if op == "decision" and any(mark in payload for mark in _MARKS):
                _take(found, ts, payload)
    return sorted(found.values(), key=lambda one: (-one.count, one.hook))


def _take(found: dict[str, HookFailures], ts: str, payload: Any) -> None:
    for row in _record(payload).body.trace:
        if row.outcome not in _FAILED:
            continue
        known = found.setdefault(
            row.hook, HookFailures(hook=row.hook, type=row.type, count=0, last=ts, reason="")
        )
        known.count += 1
        known.last, known.reason = ts, row.reason or row.outcome
