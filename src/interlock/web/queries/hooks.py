"""What each hook did in a window: calls, votes, failures, durations, and its calls over time."""

from __future__ import annotations

import sqlite3

import msgspec

from interlock.search.durations import Durations
from interlock.store.statements import statements
from interlock.web.queries.window import Window


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


def hook_figures(index: sqlite3.Connection, window: Window) -> tuple[HookFigures, ...]:
    """Every hook that was asked in the window, the busiest first."""
    sql, asked = statements("web_figures"), {"since": window.since, "hours": window.hours}
    durations: dict[tuple[str, str], Durations] = {}
    for hook, file, bucket, calls in index.execute(sql["hook_durations"], {"since": window.since}):
        durations.setdefault((hook, file), Durations()).add_bucket(bucket, calls)
    places = {slot: place for place, slot in enumerate(window.slots)}
    slots: dict[tuple[str, str], list[int]] = {}
    for hook, file, slot, calls in index.execute(sql["hook_slots"], asked):
        if slot in places:
            slots.setdefault((hook, file), [0] * len(places))[places[slot]] = calls
    found = []
    for hook, file, calls, asks, denials, failures, passes in index.execute(
        sql["hooks"], {"since": window.since}
    ):
        times = durations.get((hook, file), Durations())
        found.append(
            HookFigures(
                hook=hook,
                file=file,
                calls=calls,
                asks=asks,
                denials=denials,
                failures=failures,
                open_passes=passes,
                p50=times.quantile(0.5),
                p95=times.quantile(0.95),
                slots=tuple(slots.get((hook, file), ())),
            )
        )
    return tuple(found)
