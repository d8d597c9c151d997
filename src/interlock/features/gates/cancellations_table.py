"""Which sessions a person has cancelled, kept so that a restart does not let them go on."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

import msgspec

from interlock.errors import StoreError
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

EVERY: Final = "*"
_KEPT: Final = 30 * 86_400.0  # seconds; a session that is taken up after that begins anew
_LET_GO: Final = "let_go"


class Cancellation(msgspec.Struct, frozen=True, kw_only=True):
    """A person's word that a session shall do nothing more."""

    session_id: str  # `*`: every session
    state: str
    at: str
    by: str
    reason: str | None = None
    hold: bool = False  # until a person takes it back; else the next prompt does


class CancellationsInStore:
    """All of them are in memory: every tool call asks, and there are few."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements("cancellations")
        self._run("forget", timestamp(clock() - _KEPT))
        names = Cancellation.__struct_fields__
        found = (dict(zip(names, row, strict=True)) for row in self._run("all").fetchall())
        self._known: Final = {
            row["session_id"]: Cancellation(**{**row, "hold": bool(row["hold"])}) for row in found
        }

    def of(self, session: str) -> Cancellation | None:
        """What stands against a session, None when nothing does."""
        if not self._known:
            return None
        own = self._known.get(session)
        if own is None:
            return self._known.get(EVERY)
        return None if own.state == _LET_GO else own

    @property
    def all(self) -> list[Cancellation]:
        """Those in force, in the order they were asked for."""
        found = (one for one in self._known.values() if one.state != _LET_GO)
        return sorted(found, key=lambda one: one.at)

    def cancel(self, session: str, by: str, reason: str | None, *, hold: bool) -> Cancellation:
        """A person cancels a session, or every one."""
        made = self._made(session, by, state="cancelled", reason=reason, hold=hold)
        if session == EVERY:
            self._run("take_back")
            for name in [name for name, one in self._known.items() if one.state == _LET_GO]:
                del self._known[name]
        self._put(made)
        return made

    def lift(self, session: str, by: str) -> bool:
        """A session, or every one, may go on; False when nothing stood against it."""
        if session == EVERY:
            stood = bool(self.all)
            self._run("clear")
            self._known.clear()
            return stood
        if self.of(session) is None:
            return False
        if EVERY in self._known:
            self._put(self._made(session, by, state=_LET_GO))
        else:
            self._run("remove", session)
            del self._known[session]
        return True

    def known(self, begin: str) -> list[str]:
        """The sessions the ledger knows whose names begin so; the whole name stands for itself."""
        values = {"begin": begin, "end": f"{begin}\uffff"}
        try:
            rows = self._connection.execute(self._sql["known"], values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the sessions cannot be read: {explain(error)}") from error
        found = [str(name) for (name,) in rows]
        return [begin] if begin in found else found

    def _made(
        self, session: str, by: str, *, state: str, reason: str | None = None, hold: bool = False
    ) -> Cancellation:
        at = timestamp(self._clock())
        return Cancellation(session_id=session, state=state, at=at, by=by, reason=reason, hold=hold)

    def _put(self, one: Cancellation) -> None:
        self._run("put", one.session_id, one.state, one.at, one.by, one.reason, int(one.hold))
        self._known[one.session_id] = one

    def _run(self, name: str, *values: str | int | None) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._sql[name], values)
        except sqlite3.Error as error:
            raise StoreError(f"cannot remember that a session is cancelled: {explain(error)}") from error
