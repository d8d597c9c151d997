"""How one session stands, read in a few milliseconds beside a daemon that writes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from interlock.store.statements import statements

_SECONDS: Final = 0.5


class SessionStatus(NamedTuple):
    """The figures; what is not known is empty."""

    calls: int = 0
    denied: int = 0
    asked: int = 0
    waiting: tuple[str, ...] = ()  # requests nobody has answered: `ap_7`
    skill: str | None = None
    phase: str | None = None
    heartbeat: int = 0
    usage: float | None = None  # of the window, 0 to 1


def session_status(database: Path, session: str, now: str) -> SessionStatus | None:
    """How a session stands; None where no database can be read."""
    sql, values = statements("status_line"), {"session": session, "now": now}
    address = f"{database.absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_SECONDS)) as connection:
            counts: dict[str, int] = dict(connection.execute(sql["decisions"], values))
            waiting = tuple(f"ap_{row[0]}" for row in connection.execute(sql["waiting"], values))
            effort = connection.execute(sql["effort"], values).fetchone()
    except sqlite3.Error:
        return None
    skill, phase, heartbeat, usage = effort or (None, None, 0, None)
    return SessionStatus(
        calls=sum(counts.values()),
        denied=counts.get("deny", 0),
        asked=counts.get("ask", 0),
        waiting=waiting,
        skill=skill,
        phase=phase,
        heartbeat=heartbeat,
        usage=usage,
    )
