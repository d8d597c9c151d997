"""Figures over time: decisions, durations and what is denied most."""

from __future__ import annotations

import datetime as dt
import sqlite3
from typing import Final

import msgspec

from interlock.search.counts import Durations, longest_in
from interlock.store.statements import statements

_HOUR: Final = "%Y-%m-%dT%H"


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """From an hour on until now, in slots of this many hours."""

    name: str
    title: str
    since: str  # an hour, `2026-01-31T12`
    hours: int  # of one slot
    slots: tuple[str, ...]  # the first hour of each, oldest first


class _Span(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    slots: int
    hours: int


SPANS: Final = {
    "24h": _Span(title="last 24 hours", slots=24, hours=1),
    "7d": _Span(title="last 7 days", slots=28, hours=6),
    "30d": _Span(title="last 30 days", slots=30, hours=24),
}
USUAL: Final = "7d"


def window_of(name: str | None, now: dt.datetime) -> Window:
    """The window of that name, ending with the slot it is now; the usual one for a name nobody knows."""
    chosen = name if name in SPANS else USUAL
    span = SPANS[chosen]
    last = now.astimezone(dt.UTC)
    last = last.replace(hour=last.hour // span.hours * span.hours)
    step = dt.timedelta(hours=span.hours)
    slots = tuple((last - step * back).strftime(_HOUR) for back in reversed(range(span.slots)))
    return Window(name=chosen, title=span.title, since=slots[0], hours=span.hours, slots=slots)


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
    """How many decisions took up to this many milliseconds, and longer than the band before."""

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
