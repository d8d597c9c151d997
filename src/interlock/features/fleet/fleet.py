"""All agents, read from the store without the daemon, and the columns and colours they are shown in."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

import msgspec

from interlock.errors import StoreError
from interlock.features.work.records import FleetRow, effort_name
from interlock.features.work.settings import BLOCK_AFTER
from interlock.features.work.store import AgentRows
from interlock.store.database import open_to_read
from interlock.store.errors import explain

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))


def seconds_of(text: str | None) -> float | None:
    """Return a stored time as seconds since 1970."""
    return None if text is None else dt.datetime.fromisoformat(text).timestamp()


def age(then: float | None, now: float) -> str:
    """Return `12s`, `5m`, `3h` or `2d`; empty for an unknown time."""
    if then is None:
        return ""
    seconds = max(0, int(now - then))
    return next((f"{seconds // size}{unit}" for unit, size in _UNITS if seconds >= size), "0s")


# Dark enough to read text on. Agents that wait and agents that ended unseen share a colour: both need a look.
# The second value is for terminals with 256 colours, which would show the first as black.
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
# A coordinator has its own colour unless its status is urgent.
_URGENT: Final = frozenset({"error", "gone", "attention", "unchecked"})
WAITING: Final = frozenset({"attention", "unchecked", "gone"})  # these change when a person looks


def shows_as_coordinator(row: FleetRow) -> bool:
    return bool(row.manages) and row.shown not in _URGENT


def background(row: FleetRow, *, true: bool = True) -> str:
    """Return the colour of an agent's pane, in true colour or as one of 256."""
    exact, near = COORDINATOR if shows_as_coordinator(row) else BACKGROUNDS[row.shown]
    return exact if true else near


HEAD: Final = ("AGENT", "STATUS", "EFFORT", "LOG COUNT", "CONTEXT", "SINCE")
LEAST: Final = {0: 8, 2: 10}  # on a narrow screen AGENT and EFFORT shrink, down to this
_SILENT_SECONDS: Final = 300.0  # as in the view `stale_sessions`
_FULL: Final = 0.9


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One agent, a text for each column."""

    row: FleetRow
    name: str
    status: str  # with a question mark for a working agent that has been silent for a while
    effort: str
    log_count: str
    context: str
    since: str

    @property
    def cells(self) -> tuple[str, ...]:
        return self.name, self.status, self.effort, self.log_count, self.context, self.since

    @property
    def full(self) -> bool:
        return self.row.context_usage is not None and self.row.context_usage >= _FULL

    @property
    def waits(self) -> bool:
        return self.row.shown in WAITING

    @property
    def style(self) -> str:
        """The class of its pane in the style sheet: the Content-Security-Policy forbids colours in a page."""
        return "coordinator" if shows_as_coordinator(self.row) else self.row.shown


def line_of(row: FleetRow, now: float) -> Line:
    silent = row.shown == "working" and 0.0 < _last_sign(row) < now - _SILENT_SECONDS
    log_count = ""
    if row.skill is not None and row.heartbeat_counter is not None:
        log_count = f"{row.heartbeat_counter}/{BLOCK_AFTER if row.block_after is None else row.block_after}"
    return Line(
        row=row,
        name=row.label or row.agent,
        status=f"{row.shown}?" if silent else row.shown,
        effort=_effort(row),
        log_count=log_count,
        context="" if row.context_usage is None else f"{row.context_usage:.0%}",
        since=age(seconds_of(row.status_at), now),
    )


def _last_sign(row: FleetRow) -> float:
    return max(seconds_of(row.last_heartbeat) or 0.0, seconds_of(row.status_at) or 0.0)


def _effort(row: FleetRow) -> str:
    if row.skill is None:
        return ""
    effort = f"{effort_name(row.effort_id)} {row.skill}" if row.effort_id else row.skill
    return f"{effort} · {row.current_phase}" if row.current_phase else effort


def summary(rows: Sequence[FleetRow], hidden: int) -> str:
    """Count the agents by status, in one line."""
    counts = Counter(row.shown for row in rows)
    parts = ", ".join(f"{count} {status}" for status, count in counts.items())
    agents = "1 agent" if len(rows) == 1 else f"{len(rows)} agents"
    more = f"; {hidden} earlier ones (--all)" if hidden else ""
    return f"{agents}: {parts}{more}" if parts else f"no agent is working{more}"


_MOST: Final = 10_000
_RECENT_SECONDS: Final = 3_600.0  # for agents that are done
_DAY_SECONDS: Final = 86_400.0
_OVER: Final = frozenset({"done", "idle"})


@final
class Fleet:
    """Reads the fleet again only when somebody has written to the database."""

    def __init__(self, database: Path) -> None:
        self._database: Final = database
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None
        self._rows: list[FleetRow] = []

    def rows(self) -> list[FleetRow]:
        """All agents, the most urgent first; none before the first event."""
        try:
            if self._connection is None and self._database.exists():
                self._connection = open_to_read(self._database)
            connection = self._connection
            if connection is None:
                return []
            version = connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error as error:
            raise StoreError(f"cannot read `{self._database}`: {explain(error)}") from error
        if version != self._version:
            self._rows, self._version = AgentRows(connection).listed(most=_MOST), version
        return self._rows

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def of_interest(rows: Sequence[FleetRow], now: float) -> list[FleetRow]:
    """Leave out agents that ended more than an hour ago, and any that were silent for a day."""
    return [
        row
        for row in rows
        if now - _last_sign(row) < (_RECENT_SECONDS if row.shown in _OVER else _DAY_SECONDS)
    ]
