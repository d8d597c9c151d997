"""Laws of the charts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.web.pages.hooks import decisions_chart, latency_chart, line_points
from interlock.web.pages.sessions import step_place
from interlock.web.queries.figures import Band, Latency, Slot
from interlock.web.rendering import millis, templates

COUNTS = st.integers(0, 10**9)


def _drawn(macro: str, *values: Any) -> str:
    """What a macro of the template makes of values."""
    return str(getattr(templates().get_template("charts.html").module, macro)(*values))


@given(st.lists(st.tuples(COUNTS, COUNTS, COUNTS), max_size=40))
def test_columns_stay_inside_the_picture(counts: list[tuple[int, int, int]]) -> None:
    """However unlike the counts are, nothing is drawn over the edge, and what there was is seen."""
    slots = [
        Slot(at=f"2026-01-01T{n:02d}", allow=allow, ask=ask, deny=deny)
        for n, (allow, ask, deny) in enumerate(counts)
    ]
    drawn = [bar for column in decisions_chart(slots, "a time").columns for bar in column.bars]

    assert len(drawn) == sum(bool(count) for three in counts for count in three)
    for bar in drawn:
        assert bar.x >= 0
        assert bar.x + bar.width <= 720.01
        assert bar.height >= 0
        assert bar.y >= -0.01
        assert bar.y + bar.height <= 160.01


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6))
def test_a_step_is_seen_wherever_it_stands(before: float, length: float, after: float) -> None:
    """Also the shortest, and the last."""
    left, width = step_place(before, length, before + length + after)

    assert width > 0.5
    assert left + width <= 100.02


def test_a_line_has_a_point_for_each_slot() -> None:
    """Nothing to draw is not a picture."""
    assert line_points([0, 5, 10]) == "0.00,23.00 50.00,12.00 100.00,1.00"
    assert line_points([0, 0]) == ""
    assert _drawn("sparkline", "x", "Calls", [0, 0], "").strip() == ""


def test_a_bar_is_its_share_of_the_most() -> None:
    """Nothing at all has no width, and divides by nothing."""
    assert 'width="25.0"' in _drawn("bar", 5, 20, "deny")
    assert 'width="0"' in _drawn("bar", 0, 0, "deny")


def test_the_distribution_names_its_bands() -> None:
    """The number of each is told to whoever points at it."""
    bands = (Band(upto=1.0, count=3), Band(upto=None, count=1))
    found = latency_chart(Latency(count=4, p50=0.8, p95=1_500.0, bands=bands), "a time")
    chart = _drawn("columns", found)

    assert "up to 1 ms: 3" in chart
    assert "over 1 ms: 1" in chart
    assert "4 decisions, p50 0.8 ms, p95 1.5 s" in chart


def test_what_is_put_into_a_picture_is_escaped() -> None:
    """In texts and in attributes."""
    made = _drawn("sparkline", '"><script>', "<b>", [1], "0,0")

    assert '<title id="&#34;&gt;&lt;script&gt;-title">&lt;b&gt;</title>' in made


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0.0312, "0.031 ms"), (12.34, "12 ms"), (250.4, "250 ms"), (2_500, "2.5 s")],
)
def test_durations_are_short(value: float | None, text: str) -> None:
    """Two figures are enough to compare."""
    assert millis(value) == text
