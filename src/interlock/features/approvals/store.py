"""Requests, grants and what the ledger says of them: changed together or not at all."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.grants import Grant, Grants
from interlock.features.approvals.requests import Request, Requests
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors

SYSTEM: Final = "system"
_DAY: Final = 86_400.0
_KEPT: Final = 30 * _DAY


class ApprovalStore:
    """Where approvals are kept; a change becomes lasting with the ledger's next flush."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        *,
        tools: ToolTable = STANDARD_TOOLS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._ledger: Final = ledger
        self._clock: Final = clock
        self.tools: Final = tools
        self.requests: Final = Requests(connection)
        self.grants: Final = Grants(connection, tools)
        self._tidy_at = 0.0
        self.after_commit: Final = ledger.after_commit

    def now(self, ahead: float = 0.0) -> str:
        """This moment as it is stored, or one some seconds ahead."""
        return timestamp(self._clock() + ahead)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Several changes as one, inside the transaction that the ledger's next flush ends.

        Entries are recorded behind the last change: what fails in between leaves neither.
        """
        with explain_errors("cannot ask for approval"), self._ledger.step("approvals"):
            yield

    def expire(self) -> None:
        """End what is over, and record that."""
        with self.step():
            expired = self.requests.expire(self.now())
            if self._clock() >= self._tidy_at:
                self._tidy_at = self._clock() + _DAY
                self.requests.forget(self.now(-_KEPT))
            for request in expired:
                self.record(request, "expired", SYSTEM)

    def record(self, request: Request, state: str, by: str, **more: object) -> None:
        """Say in the ledger what became of a request; the first entry holds the whole call."""
        body = {
            "approval": request.name,
            "state": state,
            "digest": request.digest,
            "session_id": request.session_id,
            "actor": request.actor,
            "tool": request.tool,
            "revision": request.revision,
            "expires_at": request.expires_at,
            "by": by,
            "commitment_id": request.commitment,
            **more,
        }
        if state == "requested":
            call = msgspec.json.decode(request.call)
            body |= {"call": call, "reason": request.reason, "decided_by": request.rule}
            body["approvers"] = request.approvers
        self._ledger.append("approval", by, request.root, _without_nothing(body))

    def record_grant(self, grant: Grant, state: str, by: str, **more: object) -> None:
        """Say in the ledger what became of a grant, or that it was used."""
        body = {"grant": grant.name, "state": state, "kind": grant.kind, "by": by, **more}
        if state == "granted":
            kept = ("digest", "pattern", "session_id", "project", "actor", "until", "note")
            body |= {name: getattr(grant, name) for name in kept}
            body["approval"] = f"ap_{grant.approval}"
        self._ledger.append("grant", by, grant.project or "", _without_nothing(body))


def _without_nothing(body: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if value is not None and value != ()}
