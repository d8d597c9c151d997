"""Decisions over time: a column for each slot, what was denied at its foot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from interlock.web.charts.svg import drawing, element
from interlock.web.queries.figures import Slot

_WIDTH: Final = 720
_HEIGHT: Final = 160
_ORDER: Final = ("deny", "ask", "allow")  # from the foot: the rare ones are seen at a glance
_LEAST: Final = 2.0  # of what there was any at all


def decisions_chart(slots: Sequence[Slot], title: str) -> Markup:
    """The figure with its axis and legend as text, so that they stay legible at any width."""
    highest = max((slot.total for slot in slots), default=0)
    totals = {name: sum(getattr(slot, name) for slot in slots) for name in _ORDER}
    told = ", ".join(f"{totals[name]:,} {name}" for name in reversed(_ORDER))
    room = _WIDTH / max(len(slots), 1)
    shapes = [
        shape for place, slot in enumerate(slots) for shape in _column(slot, place * room, room, highest)
    ]
    return element(
        "figure",
        element(
            "figcaption",
            element("strong", "Decisions over time"),
            " ",
            *(
                element("span", f"{name} {totals[name]:,}", class_=f"key key-{name}")
                for name in reversed(_ORDER)
            ),
        ),
        drawing("decisions", f"Decisions over time, {title}", told, shapes, width=_WIDTH, height=_HEIGHT),
        element(
            "p",
            element("span", _time(slots[0].at) if slots else ""),
            element("span", f"at most {highest:,} in one column"),
            element("span", "now"),
            class_="axis",
        ),
        class_="chart",
    )


def _column(slot: Slot, left: float, room: float, highest: int) -> list[Markup]:
    shapes, foot = [], float(_HEIGHT)
    for name in _ORDER:
        count = getattr(slot, name)
        if count:
            height = min(max(count / highest * _HEIGHT, _LEAST), foot)
            foot -= height
            shapes.append(
                element(
                    "rect",
                    x=round(left + room * 0.08, 2),
                    y=round(foot, 2),
                    width=round(room * 0.84, 2),
                    height=round(height, 2),
                    class_=f"mark-{name}",
                )
            )
    words = f"{_time(slot.at)}: {slot.allow:,} allow, {slot.ask:,} ask, {slot.deny:,} deny"
    return [element("g", element("title", words), *shapes)] if shapes else []


def _time(slot: str) -> str:
    return f"{slot.replace('T', ' ')}:00 UTC"
