"""How long decisions took: a column for each band of milliseconds."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

from interlock.web.charts.svg import drawing, element
from interlock.web.queries.figures import Band, Latency
from interlock.web.rendering import millis

_WIDTH: Final = 720
_HEIGHT: Final = 160
_LEAST: Final = 2.0


def latency_chart(latency: Latency, title: str) -> Markup:
    """The figure, its bands named below it."""
    highest = max((band.count for band in latency.bands), default=0)
    room = _WIDTH / max(len(latency.bands), 1)
    told = f"{latency.count:,} decisions, p50 {millis(latency.p50)}, p95 {millis(latency.p95)}"
    names = [_name(place, latency.bands) for place in range(len(latency.bands))]
    shapes = [
        _column(f"{names[place]}: {band.count:,}", place * room, room, band.count / highest)
        for place, band in enumerate(latency.bands)
        if band.count
    ]
    return element(
        "figure",
        element("figcaption", element("strong", "How long decisions took"), " ", element("span", told)),
        drawing("latency", f"How long decisions took, {title}", told, shapes, width=_WIDTH, height=_HEIGHT),
        element("p", element("span", names[0]), element("span", names[-1]), class_="axis"),
        class_="chart",
    )


def _column(words: str, left: float, room: float, share: float) -> Markup:
    height = max(share * _HEIGHT, _LEAST)
    return element(
        "rect",
        element("title", words),
        x=round(left + room * 0.05, 2),
        y=round(_HEIGHT - height, 2),
        width=round(room * 0.9, 2),
        height=round(height, 2),
        class_="mark-plain",
    )


def _name(place: int, bands: tuple[Band, ...]) -> str:
    upto = bands[place].upto
    return f"over {millis(bands[place - 1].upto)}" if upto is None else f"up to {millis(upto)}"
