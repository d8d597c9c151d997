"""Requests, grants and their ledger entries, changed together or not at all."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from interlock.events.tool import ToolTable
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.features.approvals.grants import Grant, Grants
from interlock.features.approvals.requests import Redact, Request, Requests
from interlock.features.approvals.settings import ApprovalRules
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors

SYSTEM: Final = "system"
_DAY: Final = 86_400.0
_KEPT: Final = 30 * _DAY


class ApprovalStore:
    """The tables of approvals. A change becomes durable with the ledger's next flush."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        *,
        tools: ToolTable = STANDARD_TOOLS,
        clock: Callable[[], float] = time.time,
        redact: Redact | None = None,
        announce: Callable[[Request, ApprovalRules], object] = lambda *_: None,
    ) -> None:
        self._ledger: Final = ledger
        self._clock: Final = clock
        self._announce: Final = announce  # tells people, once the request is on disk
        self.redact: Final = redact
        self.tools: Final = tools
        self.requests: Final = Requests(connection)
        self.grants: Final = Grants(connection, tools)
        self.after_commit: Final = ledger.after_commit
        self._tidy_at = 0.0

    def now(self, ahead: float = 0.0) -> str:
        """The time as it is stored, or a time some seconds ahead."""
        return timestamp(self._clock() + ahead)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Several changes as one, inside the transaction that the ledger's next flush ends.

        Entries are recorded after the last change: if something fails in between, neither is kept.
        """
        with explain_errors("cannot ask for approval"), self._ledger.step("approvals"):
            yield

    def expire(self) -> None:
        """End what has expired, and record that."""
        with self.step():
            expired = self.requests.expire(self.now())
            if self._clock() >= self._tidy_at:
                self._tidy_at = self._clock() + _DAY
                self.requests.forget(self.now(-_KEPT))
            for request in expired:
                self.record(request, "expired", SYSTEM)

    def open(self, about: dict[str, Any], rules: ApprovalRules) -> Request:
        """Open a request, record it and announce it."""
        request = self.requests.open(about)
        self.record(request, "requested", request.actor)
        self.after_commit(lambda: self._announce(request, rules))
        return request

    def record(self, request: Request, state: str, by: str, **more: object) -> None:
        """Record what became of a request; the first entry holds the whole call."""
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
        body = {"grant": grant.name, "state": state, "kind": grant.kind, "by": by, **more}
        if state == "granted":
            names = ("digest", "pattern", "session_id", "project", "actor", "until", "note")
            body |= {name: getattr(grant, name) for name in names}
            body["approval"] = f"ap_{grant.approval}"
        self._ledger.append("grant", by, grant.project or "", _without_nothing(body))


def _without_nothing(body: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if value is not None and value != ()}
