"""Figures over time: decisions, durations, top denials, and what each hook did."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Sequence
from operator import add
from typing import Final

import msgspec

from interlock.policy.policy import PipelineRow
from interlock.search.counts import Durations, longest_in
from interlock.search.hourly import file_of
from interlock.store.statements import statements
from interlock.web.queries.entries import Indexed

_HOUR: Final = "%Y-%m-%dT%H"


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A period that ends now, in slots of some hours."""

    name: str
    title: str
    since: str  # its first hour, such as `2026-01-31T12`
    hours: int  # in a slot
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
    """The window with this name, ending with the current slot; the default one for an unknown name."""
    chosen = name if name in SPANS else USUAL
    span = SPANS[chosen]
    last = now.astimezone(dt.UTC)
    last = last.replace(hour=last.hour // span.hours * span.hours)
    step = dt.timedelta(hours=span.hours)
    slots = tuple((last - step * back).strftime(_HOUR) for back in reversed(range(span.slots)))
    return Window(name=chosen, title=span.title, since=slots[0], hours=span.hours, slots=slots)


DECISIONS: Final = ("allow", "ask", "deny")
# The upper ends of the histogram's columns, in milliseconds.
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
    """Every slot of the window, also the empty ones."""
    found: dict[str, dict[str, int]] = {slot: {} for slot in window.slots}
    asked = {"since": window.since, "hours": window.hours}
    for slot, decision, entries in index.execute(statements("web_figures")["decisions"], asked):
        if slot in found and decision in DECISIONS:  # another clock may have been ahead
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
    """The rules that denied most in the window, counted by day."""
    asked = {"since": window.since, "limit": limit}
    rows = index.execute(statements("web_figures")["denials"], asked)
    return tuple(
        Denial(hook=hook, matcher=matcher, count=count, last=last) for hook, matcher, count, last in rows
    )


_DAY: Final = 24  # hours


class HookFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One hook of one file, whatever its line."""

    hook: str
    file: str
    calls: int
    asks: int
    denials: int
    failures: int
    open_passes: int
    p50: float | None
    p95: float | None
    slots: tuple[int, ...]  # calls in each slot of the window


Key = tuple[str, str]  # a hook and its file
_COUNTS: Final = ("calls", "asks", "denials", "failures", "open_passes")  # in the order of the query


class _Sums:
    def __init__(self, slots: int) -> None:
        self.counts: Final = [0] * len(_COUNTS)
        self.slots: Final = [0] * slots
        self.durations: Final = Durations()


def hook_figures(index: sqlite3.Connection, window: Window) -> tuple[HookFigures, ...]:
    """Every hook that ran in the window, the busiest first."""
    sql, asked = statements("web_figures"), {"since": window.since, "hours": window.hours}
    name = "hooks_by_day" if window.hours == _DAY else "hooks"
    places = {slot: place for place, slot in enumerate(window.slots)}
    sums: dict[Key, _Sums] = {}
    for hook, file, slot, *counts in index.execute(sql[name], asked):
        found = sums.setdefault((hook, file), _Sums(len(places)))
        found.counts[:] = map(add, found.counts, counts)
        if slot in places:  # as above
            found.slots[places[slot]] = counts[0]
    for hook, file, bucket, calls in index.execute(sql["hook_durations"], {"since": window.since}):
        if (hook, file) in sums:
            sums[hook, file].durations.add_bucket(bucket, calls)
    ordered = sorted(sums.items(), key=lambda item: (-item[1].counts[0], item[0]))
    return tuple(
        HookFigures(
            hook=hook,
            file=file,
            **dict(zip(_COUNTS, found.counts, strict=True)),
            p50=found.durations.quantile(0.5),
            p95=found.durations.quantile(0.95),
            slots=tuple(found.slots),
        )
        for (hook, file), found in ordered
    )


class HooksFound(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one period."""

    since: str  # its first hour
    decisions: tuple[Slot, ...]
    latency: Latency
    denials: tuple[Denial, ...]
    hooks: tuple[HookFigures, ...]
    lag: int


def hooks_in(index: Indexed, window: Window) -> HooksFound:
    """What is counted in a window, and how many of the newest entries are not."""
    connection = index.connection
    return HooksFound(
        since=window.since,
        decisions=decisions_over_time(connection, window),
        latency=latency(connection, window),
        denials=top_denials(connection, window),
        hooks=hook_figures(connection, window),
        lag=index.lag,
    )


BUILT_IN: Final = "<built in>"
SLOW_MS: Final = 50.0  # a rule must stay below this


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule, and how often it matched."""

    row: PipelineRow
    matches: int
    asks: int
    denials: int
    failures: int
    p95: float | None

    @property
    def never(self) -> bool:
        """It matched nothing in the window; built-in rules guard against what should never happen."""
        return self.matches == 0 and not self.row.source.startswith(BUILT_IN)

    @property
    def slow(self) -> bool:
        """One run in twenty takes longer than a rule should."""
        return self.p95 is not None and self.p95 > SLOW_MS


def rules_of(rows: Sequence[PipelineRow], figures: Sequence[HookFigures]) -> tuple[Rule, ...]:
    """Every rule, also those that never ran; two with the same name and file share their figures."""
    known = {(one.hook, one.file): one for one in figures}
    return tuple(_rule(row, known.get((row.hook, file_of(row.source)))) for row in rows)


def _rule(row: PipelineRow, found: HookFigures | None) -> Rule:
    if found is None:
        return Rule(row=row, matches=0, asks=0, denials=0, failures=0, p95=None)
    return Rule(
        row=row,
        matches=found.calls,
        asks=found.asks,
        denials=found.denials,
        failures=found.failures,
        p95=found.p95,
    )
