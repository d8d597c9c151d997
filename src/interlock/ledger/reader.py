"""Looking entries up, newest first, a page at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.entry import Entry, Row
from interlock.store.errors import explain_errors
from interlock.store.statements import statements

_END: Final = 2**63 - 1  # larger than any seq


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """Which entries are wanted; None is any."""

    session: str | None = None
    actor: str | None = None
    tool: str | None = None
    decision: str | None = None
    rule: str | None = None  # the hook that decided, or that captured this evidence
    op: str | None = None
    since: str | None = None  # a time as entries have it, itself included
    until: str | None = None  # the same, itself left out


ANY: Final = Filter()


class LedgerReader:
    """Read access to a ledger; `before` of one page is the `seq` its predecessor ended with."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: Final = connection
        self._sql: Final = statements("ledger")

    def page(
        self, wanted: Filter = ANY, *, limit: int = 50, before: int | None = None, low: int = 0
    ) -> list[Entry]:
        """The newest entries that fit, or the newest before a seq; none before `low`."""
        # The most telling filter chooses the index; the others are tested on what it gives.
        if wanted.session is not None:
            name = "list_by_session"
        elif wanted.actor is not None:
            name = "list_by_actor"
        else:
            name = "list"
        place = {"before": _END if before is None else before, "low": low, "limit": limit}
        return self._rows(name, msgspec.structs.asdict(wanted) | place)

    def tail(self, count: int) -> list[Entry]:
        """The last entries, in the order they were written."""
        return self.page(limit=count)[::-1]

    def after(self, seq: int, *, limit: int = 500) -> list[Entry]:
        """What was written after a seq, in order."""
        return self._rows("after", (seq, limit))

    def show(self, name: str) -> Entry:
        """One entry, by its seq or its id."""
        by_seq = name.isascii() and name.isdecimal()
        key = min(int(name), _END) if by_seq else name
        found = self._rows("by_seq" if by_seq else "by_id", (key,))
        if not found:
            raise LedgerError(f"there is no entry `{name}`; `interlock ledger list` lists them")
        return found[0]

    def session(self, begins: str) -> str | None:
        """The newest session whose id begins so, None when there is none."""
        with explain_errors("cannot read the ledger", LedgerError):
            found = self._connection.execute(self._sql["session_named"], {"begins": begins}).fetchone()
        return str(found[0]) if found else None

    def at(self, seq: int) -> Entry | None:
        """The entry of a seq, None when there is none."""
        found = self._rows("by_seq", (seq,))
        return found[0] if found else None

    def count(self) -> int:
        """How many entries there are."""
        with explain_errors("cannot read the ledger", LedgerError):
            found: int = self._connection.execute(self._sql["count"]).fetchone()[0]
        return found

    def names(self, column: str) -> list[str]:
        """The different values of `actor`, `tool` or `op`."""
        with explain_errors("cannot read the ledger", LedgerError):
            return [row[0] for row in self._connection.execute(self._sql[f"names_of_{column}"])]

    def _rows(self, name: str, values: tuple[object, ...] | dict[str, object]) -> list[Entry]:
        with explain_errors("cannot read the ledger", LedgerError):
            return [Entry(*row) for row in self._connection.execute(self._sql[name], values)]


_BATCH: Final = 256  # few enough that the largest entries fit


@contextmanager
def snapshot(
    connection: sqlite3.Connection, selected: Mapping[str, Any] | None = None
) -> Iterator[Iterator[list[Row]]]:
    """Give the rows, or those selected, in batches; writers go on meanwhile and are not seen."""
    sql = statements("ledger")["all"] if selected is None else statements("proof")["selected"]
    connection.execute("BEGIN")
    try:
        cursor = connection.execute(sql, selected or {})
        yield iter(lambda: cursor.fetchmany(_BATCH), [])
    finally:
        connection.execute("COMMIT")
