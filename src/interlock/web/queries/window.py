"""The time a page's figures are about, cut into slots."""

from __future__ import annotations

import datetime as dt
from typing import Final

import msgspec

_HOUR: Final = "%Y-%m-%dT%H"


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """From an hour on until now, in slots of so many hours."""

    name: str
    title: str
    since: str  # an hour, `2026-01-31T12`
    hours: int  # of one slot
    slots: tuple[str, ...]  # the first hour of each, oldest first


class _Span(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    slots: int
    hours: int


SPANS: Final = {
    "24h": _Span(title="last 24 hours", slots=24, hours=1),
    "7d": _Span(title="last 7 days", slots=28, hours=6),
    "30d": _Span(title="last 30 days", slots=30, hours=24),
}
USUAL: Final = "7d"


def window_of(name: str | None, now: dt.datetime) -> Window:
    """The window of that name, ending with the slot it is now; the usual one for a name nobody knows."""
    chosen = name if name in SPANS else USUAL
    span = SPANS[chosen]
    last = now.astimezone(dt.UTC)
    last = last.replace(hour=last.hour // span.hours * span.hours)
    step = dt.timedelta(hours=span.hours)
    slots = tuple((last - step * back).strftime(_HOUR) for back in reversed(range(span.slots)))
    return Window(name=chosen, title=span.title, since=slots[0], hours=span.hours, slots=slots)
