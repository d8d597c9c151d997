"""Commitments, at the end of the page Work and in the API."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Final, final

import msgspec
from msgspec import Meta
from starlette.requests import Request

from interlock.errors import LedgerError
from interlock.features.commitments.claims import operations_since
from interlock.features.commitments.records import Commitment, Status
from interlock.features.commitments.state import State
from interlock.ledger.entry import Entry
from interlock.store.errors import explain_errors
from interlock.store.statements import statements
from interlock.web.api.endpoint import Asked, Limit, Text, endpoint
from interlock.web.page import Part
from interlock.web.site import site_of


class Owed(msgspec.Struct, frozen=True, kw_only=True):
    """A commitment and where it was made."""

    workspace: str
    commitment: Commitment


@final
class ReadCommitments:
    """The states that the daemon has, read only. What was read once is not read again."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._states: Final[dict[str, State]] = {}
        self._seen = 0
        self._last = ""  # the id of the last entry that was read

    def list_owed(self, connection: sqlite3.Connection) -> list[Owed]:
        """Every commitment, the last changed first."""
        with self._lock:
            with explain_errors("cannot read the ledger", LedgerError):
                self._follow(connection)
            found = [
                Owed(workspace=place, commitment=one)
                for place, state in self._states.items()
                for one in state.commitments.values()
            ]
        return sorted(found, key=lambda one: (one.commitment.changed, one.commitment.id), reverse=True)

    def _follow(self, connection: sqlite3.Connection) -> None:
        if self._seen and self._replaced(connection):
            self._states.clear()
            self._seen, self._last = 0, ""
        for entry, operation in operations_since(connection, self._seen):
            if entry is not None:
                self._seen, self._last = entry.seq, entry.id
            if operation is not None:
                self._states.setdefault(operation.workspace, State()).take(operation)

    def _replaced(self, connection: sqlite3.Connection) -> bool:
        """Whether another database took this one's place: our last entry is now a different one."""
        found = connection.execute(statements("ledger")["by_seq"], (self._seen,)).fetchone()
        if found is None:  # removed by retention, or never there
            head = connection.execute(statements("ledger")["head"]).fetchone()
            return head is None or int(head[0]) < self._seen
        return Entry(*found).id != self._last


@cache
def commitments_of(_database: Path) -> ReadCommitments:
    """One for each home."""
    return ReadCommitments()


_OWED: Final = 100
_STATES: Final = ("", *(str(state) for state in Status))


class OwedView(msgspec.Struct, frozen=True, kw_only=True):
    owed: tuple[Owed, ...]
    more: int  # not shown
    counts: Mapping[str, int]  # of all, by state
    state: str  # the one shown; empty: all unfinished


def view(request: Request) -> OwedView:
    """The commitments in the state that the address names."""
    site, state = site_of(request), request.query_params.get("state", "")
    state = state if state in _STATES else ""
    with site.reading() as connection:
        owed = commitments_of(site.places.database).list_owed(connection)
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


class CommitmentsQuery(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which commitments to return."""

    limit: Limit = 100
    state: Text = ""
    workspace: Annotated[str, Meta(max_length=4_096)] = ""


class CommitmentsFound(msgspec.Struct, frozen=True, kw_only=True):
    """Commitments, the last changed first."""

    commitments: list[Owed]


@endpoint("/commitments", query=CommitmentsQuery)
def commitments(asked: Asked) -> CommitmentsFound:
    """Commitments, the last changed first."""
    query, site = asked.query, asked.site
    with site.reading() as connection:
        found = commitments_of(site.places.database).list_owed(connection)
    fitting = [
        one
        for one in found
        if query.state in {"", str(one.commitment.state)} and query.workspace in {"", one.workspace}
    ]
    return CommitmentsFound(commitments=fitting[: query.limit])


ENDPOINTS: Final = (commitments,)
