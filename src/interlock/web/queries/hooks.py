"""What each hook did in a window: calls, votes, failures, durations, and its calls over time."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from operator import add
from typing import Final

import msgspec

from interlock.policy.policy import PipelineRow
from interlock.search.counts import Durations
from interlock.search.hourly import file_of
from interlock.store.statements import statements
from interlock.web.queries.figures import Window

_DAY: Final = 24  # hours


class HookFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One hook of one file; it is the same hook when its line has moved."""

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


class _Sums:
    """What is added up for one hook."""

    def __init__(self, slots: int) -> None:
        self.counts: Final = [0] * 5
        self.slots: Final = [0] * slots
        self.durations: Final = Durations()


def hook_figures(index: sqlite3.Connection, window: Window) -> tuple[HookFigures, ...]:
    """Every hook that was asked in the window, the busiest first."""
    sql, asked = statements("web_figures"), {"since": window.since, "hours": window.hours}
    name = "hooks_by_day" if window.hours == _DAY else "hooks"
    places = {slot: place for place, slot in enumerate(window.slots)}
    sums: dict[Key, _Sums] = {}
    for hook, file, slot, *counts in index.execute(sql[name], asked):
        found = sums.setdefault((hook, file), _Sums(len(places)))
        found.counts[:] = map(add, found.counts, counts)
        if slot in places:  # a clock may have been ahead of this one
            found.slots[places[slot]] = counts[0]
    for hook, file, bucket, calls in index.execute(sql["hook_durations"], {"since": window.since}):
        if (hook, file) in sums:
            sums[hook, file].durations.add_bucket(bucket, calls)
    ordered = sorted(sums.items(), key=lambda item: (-item[1].counts[0], item[0]))
    return tuple(_figures(key, found) for key, found in ordered)


def _figures(key: Key, found: _Sums) -> HookFigures:
    calls, asks, denials, failures, open_passes = found.counts
    return HookFigures(
        hook=key[0],
        file=key[1],
        calls=calls,
        asks=asks,
        denials=denials,
        failures=failures,
        open_passes=open_passes,
        p50=found.durations.quantile(0.5),
        p95=found.durations.quantile(0.95),
        slots=tuple(found.slots),
    )


BUILT_IN: Final = "<built in>"
SLOW_MS: Final = 50.0  # what a built-in or a rule must stay below


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule in the order it runs."""

    row: PipelineRow
    matches: int  # how often it was asked, which is how often it matched
    asks: int
    denials: int
    failures: int
    p95: float | None

    @property
    def never(self) -> bool:
        """It matched nothing in the window; what is built in stands for what nobody should try."""
        return self.matches == 0 and not self.row.source.startswith(BUILT_IN)

    @property
    def slow(self) -> bool:
        """One of twenty runs takes longer than a rule should."""
        return self.p95 is not None and self.p95 > SLOW_MS


def rules_of(rows: Sequence[PipelineRow], figures: Sequence[HookFigures]) -> tuple[Rule, ...]:
    """Every rule, also those that nobody met; two of one name in one file share their figures."""
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
