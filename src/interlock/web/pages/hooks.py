"""The page Hooks: what was decided over time, how fast, what is denied most, and every hook's figures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

import msgspec
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from interlock.web.charts.bars import bar, sparkline
from interlock.web.charts.decisions import decisions_chart
from interlock.web.charts.latency import latency_chart
from interlock.web.page import Page, render
from interlock.web.queries.figures import SPANS, Denial, decisions_over_time, latency, top_denials, window_of
from interlock.web.queries.hooks import HookFigures, hook_figures
from interlock.web.queries.index import indexed
from interlock.web.rendering import millis
from interlock.web.site import site_of

_TOP: Final = 8


class Denied(msgspec.Struct, frozen=True, kw_only=True):
    """A denying rule of the ranking."""

    denial: Denial
    bar: Markup


class Busy(msgspec.Struct, frozen=True, kw_only=True):
    """A hook of the ranking."""

    figures: HookFigures
    bar: Markup


class HookRow(msgspec.Struct, frozen=True, kw_only=True):
    """A hook of the table."""

    figures: HookFigures
    p50: str
    p95: str
    line: Markup


class HooksView(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one window."""

    window: str
    title: str
    spans: Mapping[str, str]
    decisions: Markup
    latency: Markup
    denied: tuple[Denied, ...]
    busiest: tuple[Busy, ...]
    hooks: tuple[HookRow, ...]
    lag: int


def show(request: Request) -> Response:
    """The figures of a window."""
    window = window_of(request.query_params.get("since"), dt.datetime.now(dt.UTC))
    site = site_of(request)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        slots = decisions_over_time(index.connection, window)
        times = latency(index.connection, window)
        denials = top_denials(index.connection, window, limit=_TOP)
        hooks = hook_figures(index.connection, window)
        lag = index.lag
    most_denied = max((one.count for one in denials), default=0)
    most_called = hooks[0].calls if hooks else 0
    view = HooksView(
        window=window.name,
        title=window.title,
        spans={name: span.title for name, span in SPANS.items()},
        decisions=decisions_chart(slots, window.title),
        latency=latency_chart(times, window.title),
        denied=tuple(Denied(denial=one, bar=bar(one.count, most_denied, "deny")) for one in denials),
        busiest=tuple(Busy(figures=one, bar=bar(one.calls, most_called)) for one in hooks[:_TOP]),
        hooks=tuple(_row(place, one) for place, one in enumerate(hooks)),
        lag=lag,
    )
    return render(request, "hooks", view)


def _row(place: int, one: HookFigures) -> HookRow:
    line = sparkline(f"hook-{place}", one.slots, f"Calls of {one.hook} over time")
    return HookRow(figures=one, p50=millis(one.p50), p95=millis(one.p95), line=line)


PAGE = Page(name="hooks", title="Hooks", order=70, shows={"/hooks": show})
