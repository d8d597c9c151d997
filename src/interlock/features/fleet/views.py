"""The fleet as people see it: a table of plain text, ages as short as a column, a colour for each status."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from interlock.features.work.records import FleetRow, effort_name

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def seconds_of(text: str | None) -> float | None:
    """A stored time as seconds since 1970; None where there is none."""
    return None if text is None else dt.datetime.fromisoformat(text).timestamp()


def age(then: float | None, now: float) -> str:
    """As in `12s`, `5m`, `3h` or `2d`; nothing where the time is not known."""
    if then is None:
        return ""
    seconds = max(0, int(now - then))
    return next((f"{seconds // size}{unit}" for unit, size in _UNITS if seconds >= size), "0s")


# Dark enough to read text on. What waits for a person and what ended unseen are one colour: both want a look.
# Each also as one of 256: a terminal that has no others would show every one of the first kind as black.
_UNCHECKED: Final = ("#081a10", "colour22")
_DONE: Final = ("#0a0a0a", "colour234")
_ERROR: Final = ("#3d2020", "colour52")
BACKGROUNDS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "error": _ERROR,
        "gone": _ERROR,
        "attention": _UNCHECKED,
        "unchecked": _UNCHECKED,
        "working": ("#080c10", "colour17"),
        "checked": ("#0a1005", "colour58"),
        "done": _DONE,
        "idle": _DONE,
    }
)
COORDINATOR: Final = ("#1a0a2e", "colour53")
# A coordinator is found by its colour as long as nothing is more urgent than finding it.
_URGENT: Final = frozenset({"error", "gone", "attention", "unchecked"})
WAITING: Final = frozenset({"attention", "unchecked", "gone"})  # what a look changes


def background(row: FleetRow, *, true: bool = True) -> str:
    """The colour of the pane an agent is in, as it is or as one of 256."""
    calm = row.manages and row.shown not in _URGENT
    exact, near = COORDINATOR if calm else BACKGROUNDS[row.shown]
    return exact if true else near


def most_urgent(rows: Iterable[FleetRow]) -> FleetRow | None:
    """The one that stands for several: whom people should look at first."""
    return min(rows, key=lambda row: row.priority, default=None)


BLOCK_AFTER: Final = 10
HEAD: Final = ("AGENT", "STATUS", "EFFORT", "BEAT", "CONTEXT", "SINCE")
AGENT, STATUS, EFFORT = 0, 1, 2  # columns; the first and the third give way on a narrow screen
LEAST: Final = {AGENT: 8, EFFORT: 10}
_SILENT_SECONDS: Final = 300.0  # as long as a session without a heartbeat counts as stale
_FULL: Final = 0.9


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One agent, a text for each column."""

    shown: str
    cells: tuple[str, ...]
    full: bool  # its context window is nearly so


def lines_of(rows: Sequence[FleetRow], now: float, *, block_after: int = BLOCK_AFTER) -> list[Line]:
    """The table without its head."""
    return [_line(row, now, block_after) for row in rows]


def _line(row: FleetRow, now: float, block_after: int) -> Line:
    usage = row.context_usage
    cells = (
        row.label or row.agent,
        _status(row, now),
        _effort(row),
        _beat(row, block_after),
        "" if usage is None else f"{usage:.0%}",
        age(seconds_of(row.status_at), now),
    )
    return Line(shown=row.shown, cells=cells, full=usage is not None and usage >= _FULL)


def _status(row: FleetRow, now: float) -> str:
    """The word; a question mark behind one who works and has not been heard of."""
    heard = max(seconds_of(row.last_heartbeat) or 0.0, seconds_of(row.status_at) or 0.0)
    silent = row.shown == "working" and 0.0 < heard < now - _SILENT_SECONDS
    return f"{row.shown}?" if silent else row.shown


def _effort(row: FleetRow) -> str:
    if row.skill is None:
        return ""
    effort = f"{effort_name(row.effort_id)} {row.skill}" if row.effort_id else row.skill
    return f"{effort} · {row.current_phase}" if row.current_phase else effort


def _beat(row: FleetRow, block_after: int) -> str:
    if row.skill is None or row.heartbeat_counter is None:
        return ""
    most = block_after if row.block_after is None else row.block_after
    return f"{row.heartbeat_counter}/{most}"


def summary(rows: Sequence[FleetRow], hidden: int) -> str:
    """Who waits and who works, in one line."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.shown] = counts.get(row.shown, 0) + 1
    told = ", ".join(f"{count} {shown}" for shown, count in counts.items())
    agents = "1 agent" if len(rows) == 1 else f"{len(rows)} agents"
    more = f"; {hidden} more of earlier (--all)" if hidden else ""
    return f"{agents}: {told}{more}" if told else f"nobody is at work{more}"
