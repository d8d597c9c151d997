"""Totals over everything that is counted: decisions, hooks and durations."""

from __future__ import annotations

import sqlite3
from typing import Final

import msgspec

from interlock.search.counts import longest_in
from interlock.store.statements import statements

# Seconds at which one column of the distribution ends.
EDGES: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)
_MILLIS: Final = 1_000.0


class HookTotals(msgspec.Struct, frozen=True, kw_only=True):
    """One hook of one file."""

    hook: str
    file: str
    calls: int
    asks: int
    denials: int
    failures: int
    open_passes: int


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """What has happened so far, as far as the ledger goes back."""

    decisions: dict[str, int]  # by vote
    hooks: tuple[HookTotals, ...]
    within: tuple[int, ...]  # decisions that took no longer than each edge
    count: int
    seconds: float  # of all together; durations are counted to 5 %


def totals_of(index: sqlite3.Connection) -> Totals:
    """Read the counts of the index; no entry is read for them."""
    sql = statements("web_metrics")
    hooks = (dict(zip(HookTotals.__struct_fields__, row, strict=True)) for row in index.execute(sql["hooks"]))
    lengths = [(longest_in(bucket) / _MILLIS, count) for bucket, count in index.execute(sql["durations"])]
    return Totals(
        decisions=dict(index.execute(sql["decisions"]).fetchall()),
        hooks=tuple(HookTotals(**one) for one in hooks),
        within=tuple(sum(count for length, count in lengths if length <= edge) for edge in EDGES),
        count=sum(count for _, count in lengths),
        seconds=round(sum(length * count for length, count in lengths), 6),
    )
