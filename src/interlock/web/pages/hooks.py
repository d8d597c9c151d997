"""The page Hooks: decisions over time, how long they took, what is denied most, and each hook's figures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from interlock.web.charts import Chart, decisions_chart, latency_chart, line_points
from interlock.web.page import Page, render
from interlock.web.queries.figures import SPANS, Denial, decisions_over_time, latency, top_denials, window_of
from interlock.web.queries.hooks import HookFigures, hook_figures
from interlock.web.queries.index import indexed
from interlock.web.site import site_of

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
    """The figures of a period."""
    window = window_of(request.query_params.get("since"), dt.datetime.now(dt.UTC))
    site = site_of(request)
    with site.reading() as ledger, indexed(site.places.database, ledger) as index:
        slots = decisions_over_time(index.connection, window)
        times = latency(index.connection, window)
        denials = top_denials(index.connection, window, limit=_TOP)
        hooks = hook_figures(index.connection, window)
        lag = index.lag
    view = HooksView(
        window=window.name,
        title=window.title,
        spans={name: span.title for name, span in SPANS.items()},
        decisions=decisions_chart(slots, window.title),
        latency=latency_chart(times, window.title),
        denials=denials,
        most_denied=max((one.count for one in denials), default=0),
        hooks=hooks,
        lines=tuple(line_points(one.slots) for one in hooks),
        lag=lag,
    )
    return render(request, "hooks", view)


PAGE = Page(name="hooks", title="Hooks", order=70, shows={"/hooks": show})
