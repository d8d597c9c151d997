"""The sessions the ledger tells of, the one that did something last first."""

from __future__ import annotations

import sqlite3
from typing import Final

import msgspec

from interlock.store.statements import statements

_END: Final = 2**63 - 1


class SeenSession(msgspec.Struct, frozen=True, kw_only=True):
    """What is counted of one session."""

    session: str
    actor: str  # of its first entry
    workspace: str
    first: str
    last: str
    newest: int  # the seq of its last entry
    entries: int
    calls: int
    asks: int
    denials: int


def seen_sessions(
    index: sqlite3.Connection, *, limit: int = 50, before: int | None = None
) -> tuple[SeenSession, ...]:
    """The sessions whose last entry is before a seq, newest first."""
    asked = {"limit": limit, "before": _END if before is None else before}
    return tuple(map(_session, index.execute(statements("web_figures")["sessions"], asked)))


def seen_session(index: sqlite3.Connection, session: str) -> SeenSession | None:
    """One session; None when nothing of it has been counted."""
    found = index.execute(statements("web_figures")["session"], {"session": session}).fetchone()
    return _session(found) if found else None


def _session(row: tuple[object, ...]) -> SeenSession:
    return msgspec.convert(dict(zip(SeenSession.__struct_fields__, row, strict=True)), SeenSession)
