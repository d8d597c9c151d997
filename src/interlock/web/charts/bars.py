"""Small drawings inside a table: a bar of a ranking, a line of calls over time, a hook's place in a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from interlock.web.charts.svg import drawing, element

_WIDTH: Final = 100
_HEIGHT: Final = 10
_LINE_HEIGHT: Final = 24
_LEAST: Final = 0.6  # of what took any time at all


def bar(count: int, highest: int, mark: str = "plain") -> Markup:
    """How much of the most this is; the number stands beside it, so the picture itself is silent."""
    width = count / highest * _WIDTH if highest else 0.0
    return _silent(
        element("rect", x=0, y=0, width=round(width, 2), height=_HEIGHT, class_=f"mark-{mark}"),
        height=_HEIGHT,
        class_="bar",
    )


def sparkline(name: str, counts: Sequence[int], title: str) -> Markup:
    """Calls over time as a line."""
    highest = max(counts, default=0)
    if not highest:
        return Markup("")
    step = _WIDTH / max(len(counts) - 1, 1)
    points = " ".join(
        f"{place * step:.2f},{_LINE_HEIGHT - 1 - count / highest * (_LINE_HEIGHT - 2):.2f}"
        for place, count in enumerate(counts)
    )
    line = element("polyline", points=points, class_="mark-line", vector_effect="non-scaling-stroke")
    told = f"{sum(counts):,} calls, at most {highest:,} at a time"
    return drawing(name, title, told, [line], width=_WIDTH, height=_LINE_HEIGHT, class_="spark")


def step_bar(begin: float, length: float, whole: float, mark: str) -> Markup:
    """When a hook ran and how long, on the line of all of them."""
    left = begin / whole * _WIDTH if whole else 0.0
    width = max(length / whole * _WIDTH if whole else 0.0, _LEAST)
    left = min(left, _WIDTH - width)
    return _silent(
        element("rect", x=0, y=_HEIGHT / 2 - 0.5, width=_WIDTH, height=1, class_="mark-rail"),
        element(
            "rect", x=round(left, 2), y=1, width=round(width, 2), height=_HEIGHT - 2, class_=f"mark-{mark}"
        ),
        height=_HEIGHT,
        class_="step",
    )


def _silent(*shapes: Markup, height: int, class_: str) -> Markup:
    return element(
        "svg",
        *shapes,
        class_=class_,
        aria_hidden="true",
        view_box=f"0 0 {_WIDTH} {height}",
        preserve="none",
    )
