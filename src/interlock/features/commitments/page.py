"""What is owed, at the end of the page Work."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, final

import msgspec
from starlette.requests import Request

from interlock.errors import LedgerError
from interlock.features.commitments.claims import place_operation
from interlock.features.commitments.operation import Operation, operation_of
from interlock.features.commitments.records import Commitment, Status
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.store.errors import explain
from interlock.store.statements import statements
from interlock.web.page import Part
from interlock.web.site import site_of

_PAGE: Final = 1_000


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """A commitment and where it was made."""

    workspace: str
    commitment: Commitment


@final
class ReadCommitments:
    """The same states the daemon has, read only; what was read once is not read again."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._states: Final[dict[str, State]] = {}
        self._seen = 0
        self._last = ""  # the id of the last entry that was followed

    def of(self, connection: sqlite3.Connection) -> list[Owed]:
        """Every commitment, the one that changed last first."""
        with self._lock:
            try:
                self._follow(connection)
            except sqlite3.Error as error:
                raise LedgerError(f"cannot read the ledger: {explain(error)}") from error
            found = [
                Owed(workspace=place, commitment=one)
                for place, state in self._states.items()
                for one in state.commitments.values()
            ]
        return sorted(found, key=lambda one: (one.commitment.changed, one.commitment.id), reverse=True)

    def _follow(self, connection: sqlite3.Connection) -> None:
        sql = statements("commitments")
        if self._seen and self._replaced(connection):
            self._states.clear()
            self._seen, self._last = 0, ""
        if self._seen == 0:
            # What was carried over a removal was first recorded before everything that is left.
            carried = [place_operation(Entry(*row)) for row in connection.execute(sql["carried"])]
            for one in sorted((one for one in carried if one is not None), key=lambda one: one.seq):
                self._take(one.operation)
        while True:
            entries = [Entry(*row) for row in connection.execute(sql["after"], (self._seen, _PAGE))]
            for entry in entries:
                self._seen, self._last = entry.seq, entry.id
                operation = operation_of(entry)
                if operation is not None:
                    self._take(operation)
            if len(entries) < _PAGE:
                return

    def _replaced(self, connection: sqlite3.Connection) -> bool:
        """Whether another database has taken this one's place: where we ended, there is another entry."""
        found = connection.execute(statements("ledger")["by_seq"], (self._seen,)).fetchone()
        if found is None:  # removed with all that is old, or never there
            head = connection.execute(statements("ledger")["head"]).fetchone()
            return head is None or int(head[0]) < self._seen
        return Entry(*found).id != self._last

    def _take(self, operation: Operation) -> None:
        self._states.setdefault(operation.workspace, State()).take(operation)


@cache
def commitments_of(_database: Path) -> ReadCommitments:
    """One for each home."""
    return ReadCommitments()


_OWED: Final = 100
_STATES: Final = ("", *(str(state) for state in Status))


class OwedView(msgspec.Struct, frozen=True, kw_only=True):
    """The commitments that were asked for."""

    owed: tuple[Owed, ...]
    more: int  # that are left out
    counts: Mapping[str, int]  # of all, by state
    state: str  # the one that is shown; empty: all that are not over


def view(request: Request) -> OwedView:
    """Those of the state that the address names."""
    site, state = site_of(request), request.query_params.get("state", "")
    state = state if state in _STATES else ""
    with site.reading() as connection:
        owed = commitments_of(site.places.database).of(connection)
    fitting = [one for one in owed if _fits(one, state)]
    counts = Counter(str(one.commitment.state) for one in owed)
    return OwedView(
        owed=tuple(fitting[:_OWED]),
        more=max(len(fitting) - _OWED, 0),
        counts={name: counts[name] for name in _STATES if name},
        state=state,
    )


def _fits(one: Owed, state: str) -> bool:
    return str(one.commitment.state) == state if state else not one.commitment.ended


PART = Part(page="work", file="commitments.html", view=view)
