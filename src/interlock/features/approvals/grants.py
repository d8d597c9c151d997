"""Grants: a person's answer to more than one call, and which of them covers a call."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.tool import ToolTable
from interlock.features.approvals.covering import covers
from interlock.store.statements import statements

PREFIX: Final = "gr_"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the table of grants, in the order of its columns."""

    id: int
    kind: str  # `call`: this one, in this session; `pattern`: whatever it covers, in this project
    digest: str | None
    pattern: str | None
    session_id: str | None
    project: str | None
    actor: str | None
    until: str | None
    approval: int | None
    granted_by: str
    granted_at: str
    revoked_by: str | None
    revoked_at: str | None
    note: str | None

    @property
    def name(self) -> str:
        """What people call it: `gr_3`."""
        return f"{PREFIX}{self.id}"


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a person wants granted beside one yes."""

    pattern: str | None = None  # None: this exact call, for this session
    until: str | None = None
    broad: bool = False  # a whole tool or more, and meant so


def grant_of(row: tuple[Any, ...]) -> Grant:
    """A grant as the database gives it."""
    return Grant(**dict(zip(Grant.__struct_fields__, row, strict=True)))


_LISTED: Final = 500


class Grants:
    """The table of grants."""

    def __init__(self, connection: sqlite3.Connection, tools: ToolTable) -> None:
        self._connection: Final = connection
        self._tools: Final = tools
        self._sql: Final = statements("grants")

    def covering(self, event: Event, about: dict[str, Any], entitled: Callable[[str], bool]) -> Grant | None:
        """The oldest grant that answers this call and was given by somebody who may answer it."""
        values = {
            "now": about["now"],
            "session_id": about["session_id"],
            "project": about["root"],
            "actor": about["actor"],
            "digest": about["digest"],
        }
        for row in self._run("covering", values).fetchall():
            grant = grant_of(row)
            meant = grant.pattern is None or covers(grant.pattern, event, self._tools)
            if meant and entitled(grant.granted_by):
                return grant
        return None

    def add(self, values: dict[str, Any]) -> Grant:
        """Make a grant."""
        number: int = self._run("grant", values).fetchone()[0]
        return grant_of(self._run("get", (number,)).fetchone())

    def get(self, number: int) -> Grant | None:
        """One grant, also one that is over."""
        row = self._run("get", (number,)).fetchone()
        return grant_of(row) if row else None

    def standing(self, now: str) -> list[Grant]:
        """Those in force, the oldest first."""
        return [grant_of(row) for row in self._run("standing", {"now": now})]

    def newest(self) -> list[Grant]:
        """The last ones, also those that are over."""
        return [grant_of(row) for row in self._run("newest", (_LISTED,))][::-1]

    def revoke(self, number: int, by: str, now: str) -> bool:
        """Take a grant back; False when it was already."""
        return self._run("revoke", {"id": number, "by": by, "now": now}).rowcount == 1

    def _run(self, name: str, values: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)
