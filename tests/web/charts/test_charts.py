"""Laws of the charts."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.web.charts.bars import bar, sparkline, step_bar
from interlock.web.charts.decisions import decisions_chart
from interlock.web.charts.latency import latency_chart
from interlock.web.charts.svg import element
from interlock.web.queries.figures import Band, Latency, Slot
from interlock.web.rendering import millis

COUNTS = st.integers(0, 10**9)


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), max_size=40))
def test_columns_stay_inside_the_picture(counts: list[tuple[int, int, int]]) -> None:
    """However unlike the counts are, nothing is drawn over the edge, and what there was is seen."""
    slots = [
        Slot(at=f"2026-01-01T{n:02d}", allow=allow, ask=ask, deny=deny)
        for n, (allow, ask, deny) in enumerate(counts)
    ]
    chart = ET.fromstring(decisions_chart(slots, "a time"))
    drawn = list(chart.iter("rect"))

    assert len(drawn) == sum(bool(count) for three in counts for count in three)
    for rect in drawn:
        x, y, width, height = (float(rect.get(name, "nan")) for name in ("x", "y", "width", "height"))
        assert x >= 0
        assert x + width <= 720.01
        assert height >= 0
        assert y >= -0.01
        assert y + height <= 160.01


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_step_is_seen_wherever_it_stands(before: float, length: float, after: float) -> None:
    """Also the shortest, and the last."""
    whole = before + length + after
    drawn = list(ET.fromstring(step_bar(before, length, whole, "deny")).iter("rect"))[1]

    assert float(drawn.get("width", "0")) > 0.5
    assert float(drawn.get("x", "0")) + float(drawn.get("width", "0")) <= 100.02


def test_a_line_has_a_point_for_each_slot() -> None:
    """Nothing to draw is no picture."""
    points = ET.fromstring(sparkline("x", [0, 5, 10], "Calls")).find("polyline")

    assert points is not None
    assert points.get("points") == "0.00,23.00 50.00,12.00 100.00,1.00"
    assert sparkline("x", [0, 0], "Calls") == ""


def test_a_bar_is_its_share_of_the_most() -> None:
    """Nothing at all has no width, and divides by nothing."""
    assert 'width="25"' in bar(5, 20)
    assert 'width="0"' in bar(0, 0)


def test_the_distribution_names_its_bands() -> None:
    """The number of each is told to whoever points at it."""
    bands = (Band(upto=1.0, count=3), Band(upto=None, count=1))
    chart = latency_chart(Latency(count=4, p50=0.8, p95=1_500.0, bands=bands), "a time")

    assert "up to 1 ms: 3" in chart
    assert "over 1 ms: 1" in chart
    assert "4 decisions, p50 0.8 ms, p95 1.5 s" in chart


def test_what_is_put_into_a_picture_is_escaped() -> None:
    """In texts and in attributes."""
    made = element("title", '<b>"', class_='"><script>')

    assert made == '<title class="&#34;&gt;&lt;script&gt;">&lt;b&gt;&#34;</title>'


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0312, "0.031 ms"), (12.34, "12 ms"), (250.4, "250 ms"), (2_500, "2.5 s")],
)
def test_durations_are_short(value: float | None, text: str) -> None:
    """Two figures are enough to compare."""
    assert millis(value) == text
