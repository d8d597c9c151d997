"""An ask nobody is there to answer: denied now, allowed once when a person has approved exactly this call."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.decision import Decision
from interlock.errors import StoreError
from interlock.event import Event
from interlock.store.failures import meaning
from interlock.store.statements import statements
from interlock.store.timestamp import timestamp
from interlock.verdict import Vote

EXPIRES_SECONDS: Final = 600.0


class Tickets:
    """Requests bound to the digest of the call, the session, the actor and the policy revision."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements("approvals")

    def settle(self, event: Event, decision: Decision) -> Decision:
        """Turn an ask into an allow if a yes is waiting for it, else into a deny that says how to go on."""
        # What would run is what is approved: the input as the hooks left it.
        final = event if decision.updated_input is None else event.with_input(decision.updated_input)
        call = call_bytes(final)
        now = self._clock()
        about = {
            "digest": hashlib.sha256(call).hexdigest(),
            "session_id": event.session_id,
            "actor": event.actor,
            "revision": decision.revision,
            "call": call,
            "reason": decision.reason,
            "now": timestamp(now),
            "expires_at": timestamp(now + EXPIRES_SECONDS),
        }
        try:
            return self._settle(about, decision)
        except sqlite3.Error as error:
            raise StoreError(f"cannot ask for approval: {meaning(error)}") from error

    def _settle(self, about: dict[str, Any], decision: Decision) -> Decision:
        self._run("expire", about)
        found = self._run("find", about).fetchone()
        if found is None:
            self._run("request", about)
            found = self._run("find", about).fetchone()
        number, state, by = found
        if state == "approved" and self._run("use", {"id": number}).rowcount == 1:
            return _decided(decision, Vote.ALLOW, f"approved by {by} (ap_{number})")
        if state == "denied":
            return _decided(
                decision, Vote.DENY, f"approval ap_{number} was refused by {by}: {decision.reason}"
            )
        retry = f"approval ap_{number} requested; retry the same call once it is approved"
        return _decided(decision, Vote.DENY, f"{retry} ({decision.reason})")

    def _run(self, name: str, values: dict[str, Any]) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)


def call_bytes(event: Event) -> bytes:
    """The call as it is shown and hashed; without the host's use id, so that a retry is the same call."""
    tool = event.tool
    shown = {
        "event": event.name,
        "tool": tool.name if tool else None,
        "input": tool.input if tool else event.prompt,
        "cwd": event.cwd,  # `rm -r build` is another call in another folder
    }
    return msgspec.json.encode(shown, order="sorted")


def _decided(decision: Decision, vote: Vote, reason: str) -> Decision:
    return msgspec.structs.replace(decision, vote=vote, reason=reason)
