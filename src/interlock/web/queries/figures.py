"""Figures over time: decisions, durations and what is denied most."""

from __future__ import annotations

import sqlite3
from typing import Final

import msgspec

from interlock.search.counts import Durations, longest_in
from interlock.store.statements import statements
from interlock.web.queries.window import Window

DECISIONS: Final = ("allow", "ask", "deny")
# Milliseconds at which one column of the distribution ends and the next begins.
_EDGES: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0, 10_000.0)


class Slot(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions of one slot of a window."""

    at: str
    allow: int = 0
    ask: int = 0
    deny: int = 0

    @property
    def total(self) -> int:
        return self.allow + self.ask + self.deny


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """How many decisions took up to so many milliseconds, and longer than the band before."""

    upto: float | None  # None: any longer
    count: int


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """How long decisions took."""

    count: int
    p50: float | None
    p95: float | None
    bands: tuple[Band, ...]


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that denied, by what it matches."""

    hook: str
    matcher: str
    count: int
    last: int  # the seq of the newest


def decisions_over_time(index: sqlite3.Connection, window: Window) -> tuple[Slot, ...]:
    """Every slot of the window, also those in which nothing was decided."""
    found: dict[str, dict[str, int]] = {slot: {} for slot in window.slots}
    asked = {"since": window.since, "hours": window.hours}
    for slot, decision, entries in index.execute(statements("web_figures")["decisions"], asked):
        if slot in found and decision in DECISIONS:  # a clock may have been ahead of this one
            found[slot][decision] = entries
    return tuple(Slot(at=slot, **counts) for slot, counts in found.items())


def latency(index: sqlite3.Connection, window: Window) -> Latency:
    """The distribution over the whole window."""
    durations, counts = Durations(), [0] * (len(_EDGES) + 1)
    sql = statements("web_figures")["durations"]
    for bucket, entries in index.execute(sql, {"since": window.since}):
        durations.add_bucket(bucket, entries)
        longest = longest_in(bucket)
        counts[sum(edge < longest for edge in _EDGES)] += entries
    bands = tuple(Band(upto=upto, count=n) for upto, n in zip((*_EDGES, None), counts, strict=True))
    p50, p95 = durations.quantile(0.5), durations.quantile(0.95)
    return Latency(count=durations.count, p50=p50, p95=p95, bands=bands)


def top_denials(index: sqlite3.Connection, window: Window, *, limit: int = 10) -> tuple[Denial, ...]:
    """The rules that denied most, by the days of the window."""
    asked = {"since": window.since, "limit": limit}
    rows = index.execute(statements("web_figures")["denials"], asked)
    return tuple(
        Denial(hook=hook, matcher=matcher, count=count, last=last) for hook, matcher, count, last in rows
    )
