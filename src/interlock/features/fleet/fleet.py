"""Everybody at work, read from the store without a daemon's help."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

import msgspec

from interlock.errors import StoreError
from interlock.features.work.agents import AgentRows
from interlock.features.work.records import FleetRow, effort_name
from interlock.store.database import open_to_read
from interlock.store.errors import explain

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
    more = f"; {hidden} earlier ones (--all)" if hidden else ""
    return f"{agents}: {told}{more}" if told else f"no agent is working{more}"


_MOST: Final = 10_000
_RECENT_SECONDS: Final = 3_600.0  # this long somebody who is done is still of interest
_DAY_SECONDS: Final = 86_400.0
_OVER: Final = frozenset({"done", "idle"})


@final
class Fleet:
    """A view of the fleet that is read again only when somebody has written."""

    def __init__(self, database: Path) -> None:
        self._database: Final = database
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._rows: list[FleetRow] = []

    def rows(self) -> list[FleetRow]:
        """Everybody, those first that need a person most; nobody before the first event."""
        try:
            connection = self._open()
            if connection is None:
                return []
            version = connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error as error:
            raise StoreError(f"cannot read `{self._database}`: {explain(error)}") from error
        if version != self._version:
            self._rows, self._version = AgentRows(connection).listed(most=_MOST), version
        return self._rows

    def _open(self) -> sqlite3.Connection | None:
        if self._connection is None and self._database.exists():
            self._connection = open_to_read(self._database)
        return self._connection

    def close(self) -> None:
        """Let the file go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def of_interest(rows: Sequence[FleetRow], now: float) -> list[FleetRow]:
    """Those at work, those that want a look, and those that ended a while ago; the rest is history."""
    return [row for row in rows if _is_of_interest(row, now)]


def _is_of_interest(row: FleetRow, now: float) -> bool:
    seen = max(seconds_of(row.status_at) or 0.0, seconds_of(row.last_heartbeat) or 0.0)
    return now - seen < (_RECENT_SECONDS if row.shown in _OVER else _DAY_SECONDS)
