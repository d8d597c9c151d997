"""The page Hooks: decisions over time, their durations, the top denials, and figures per hook.

`templates/charts.html` draws its charts as SVG.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from interlock.web.page import Page, render
from interlock.web.queries.entries import indexed
from interlock.web.queries.figures import SPANS, Denial, HookFigures, Latency, Slot, hooks_in, window_of
from interlock.web.rendering import millis
from interlock.web.site import site_of

WIDTH: Final = 720
HEIGHT: Final = 160
_LEAST: Final = 2.0  # the height of the smallest bar
_GAP: Final = 0.06  # on either side of a column
_VOTES: Final = ("allow", "ask", "deny")
_LINE_WIDTH: Final = 100
_LINE_HEIGHT: Final = 24


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    x: float
    y: float
    width: float
    height: float
    mark: str  # its colour: `mark-…` in the style sheet


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """The bars at one place on the axis, and their tooltip."""

    words: str
    bars: tuple[Bar, ...]


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart of columns; its axis and legend are text, to stay legible at any width."""

    name: str
    heading: str
    period: str
    summary: str  # the numbers, for screen readers
    legend: tuple[tuple[str, str], ...]  # text and colour
    columns: tuple[Column, ...]
    axis: tuple[str, ...]
    width: int = WIDTH
    height: int = HEIGHT


def decisions_chart(slots: Sequence[Slot], period: str) -> Chart:
    """Decisions over time, with denials at the foot of each column."""
    highest = max((slot.total for slot in slots), default=0)
    totals = {vote: sum(getattr(slot, vote) for slot in slots) for vote in _VOTES}
    room = WIDTH / max(len(slots), 1)
    columns = (_votes_column(slot, place * room, room, highest) for place, slot in enumerate(slots))
    return Chart(
        name="decisions",
        heading="Decisions over time",
        period=period,
        summary=", ".join(f"{count:,} {vote}" for vote, count in totals.items()),
        legend=tuple((f"{vote} {count:,}", f"key key-{vote}") for vote, count in totals.items()),
        columns=tuple(column for column in columns if column.bars),
        axis=(_time(slots[0].at) if slots else "", f"at most {highest:,} in one column", "now"),
    )


def _votes_column(slot: Slot, left: float, room: float, highest: int) -> Column:
    bars, foot = [], float(HEIGHT)
    for vote in reversed(_VOTES):
        count = getattr(slot, vote)
        if count:
            height = min(max(count / highest * HEIGHT, _LEAST), foot)
            foot -= height
            bars.append(_bar(left, room, foot, height, vote))
    words = f"{_time(slot.at)}: {slot.allow:,} allow, {slot.ask:,} ask, {slot.deny:,} deny"
    return Column(words=words, bars=tuple(bars))


def latency_chart(latency: Latency, period: str) -> Chart:
    """How long decisions took, a column for each band of milliseconds."""
    bands = latency.bands
    highest = max((band.count for band in bands), default=0)
    room = WIDTH / max(len(bands), 1)
    summary = f"{latency.count:,} decisions, p50 {millis(latency.p50)}, p95 {millis(latency.p95)}"
    names = [
        f"over {millis(bands[place - 1].upto)}" if band.upto is None else f"up to {millis(band.upto)}"
        for place, band in enumerate(bands)
    ]
    columns = []
    for place, band in enumerate(bands):
        if band.count:
            height = max(band.count / highest * HEIGHT, _LEAST)
            bar = _bar(place * room, room, HEIGHT - height, height, "plain")
            columns.append(Column(words=f"{names[place]}: {band.count:,}", bars=(bar,)))
    return Chart(
        name="latency",
        heading="How long decisions took",
        period=period,
        summary=summary,
        legend=((summary, ""),),
        columns=tuple(columns),
        axis=(names[0], names[-1]),
    )


def line_points(counts: Sequence[int]) -> str:
    """The points of a line over time; empty if there is nothing to draw."""
    highest = max(counts, default=0)
    if not highest:
        return ""
    step = _LINE_WIDTH / max(len(counts) - 1, 1)
    return " ".join(
        f"{place * step:.2f},{_LINE_HEIGHT - 1 - count / highest * (_LINE_HEIGHT - 2):.2f}"
        for place, count in enumerate(counts)
    )


def _bar(left: float, room: float, top: float, height: float, mark: str) -> Bar:
    return Bar(
        x=round(left + room * _GAP, 2),
        y=round(top, 2),
        width=round(room * (1 - 2 * _GAP), 2),
        height=round(height, 2),
        mark=mark,
    )


def _time(slot: str) -> str:
    return f"{slot.replace('T', ' ')}:00 UTC"


_TOP: Final = 8


class HooksView(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one period."""

    window: str
    title: str
    spans: Mapping[str, str]
    decisions: Chart
    latency: Chart
    denials: tuple[Denial, ...]
    most_denied: int
    hooks: tuple[HookFigures, ...]  # the busiest first
    lines: tuple[str, ...]  # the calls of each over time, as points
    lag: int
    top: int = _TOP


def show(request: Request) -> Response:
    window = window_of(request.query_params.get("since"), dt.datetime.now(dt.UTC))
    site = site_of(request)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        found = hooks_in(index, window)
    view = HooksView(
        window=window.name,
        title=window.title,
        spans={name: span.title for name, span in SPANS.items()},
        decisions=decisions_chart(found.decisions, window.title),
        latency=latency_chart(found.latency, window.title),
        denials=found.denials[:_TOP],
        most_denied=max((one.count for one in found.denials), default=0),
        hooks=found.hooks,
        lines=tuple(line_points(one.slots) for one in found.hooks),
        lag=found.lag,
    )
    return render(request, "hooks", view)


PAGE = Page(name="hooks", title="Hooks", order=70, shows={"/hooks": show})
