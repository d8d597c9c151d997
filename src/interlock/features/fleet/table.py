"""The fleet as a table of plain text, and where in it the words of a status stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from interlock.features.fleet.ages import age, seconds_of
from interlock.features.work.tables.records import FleetRow, effort_name

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
