"""What hooks remember about a session, in the database so that it survives a restart."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from typing import Final

import msgspec

from interlock.engine.session_memory import ALL, Rounds, RoundsInMemory
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import STOPS, EventName
from interlock.events.tool import JsonObject
from interlock.events.verdict import Vote
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain_errors
from interlock.store.statements import statements

_KEEP_SECONDS: Final = 30 * 86_400.0  # a session resumed later starts from zero


class _Table:
    """Runs the statements of one table; a database error says what could not be done."""

    def __init__(
        self, connection: sqlite3.Connection, name: str, trouble: str, clock: Callable[[], float]
    ) -> None:
        self._connection: Final = connection
        self._sql: Final = statements(name)
        self._trouble: Final = trouble
        self._clock: Final = clock

    def _run(self, name: str, *values: str) -> sqlite3.Cursor:
        with explain_errors(self._trouble):
            return self._connection.execute(self._sql[name], values)

    def _now(self) -> str:
        return timestamp(self._clock())

    def _forget_old_sessions(self) -> None:
        self._run("forget", timestamp(self._clock() - _KEEP_SECONDS))


class HookMemory(_Table):
    """One row per session and hook, written in the transaction that the ledger's next flush commits."""

    def __init__(
        self, connection: sqlite3.Connection, ledger: LedgerWriter, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__(connection, "memory", "cannot use what hooks remember", clock)
        self._ledger: Final = ledger
        self._forget_old_sessions()

    def get(self, session_id: str, key: str) -> JsonObject:
        """The last value; empty if there is none."""
        found = self._run("get", session_id, key).fetchone()
        value: JsonObject = msgspec.json.decode(found[0]) if found else {}
        return value

    def put(self, session_id: str, key: str, value: JsonObject) -> None:
        text = msgspec.json.encode(value).decode()
        with explain_errors("cannot save what a hook remembers"):
            self._ledger.join()
        self._run("put", session_id, key, text, self._now())


class OnceInStore(_Table):
    """One row per claimed run; its key prevents two claims at once, even from two processes."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        super().__init__(connection, "once", "cannot remember that a hook ran", clock)

    def claim(self, session_id: str, key: str) -> bool:
        """Claim the one run of a hook in a session; False if it is taken."""
        return self._run("claim", session_id, key, self._now()).rowcount > 0

    def release(self, session_id: str, key: str) -> None:
        """Release the run after a rejection or a timeout."""
        self._run("release", session_id, key)


class RoundsInStore(_Table):
    """One row per session and hook; a set in memory spares most prompts the query."""

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        super().__init__(connection, "rounds", "cannot count how often a turn was sent back", clock)
        self._forget_old_sessions()
        rows = connection.execute("SELECT DISTINCT session_id FROM stop_rounds").fetchall()
        self._counted: Final[set[str]] = {row[0] for row in rows}

    def count(self, session_id: str, key: str) -> int:
        if session_id not in self._counted:
            return 0
        found = self._run("count", session_id, key).fetchone()
        return int(found[0]) if found else 0

    def add(self, session_id: str, key: str) -> None:
        self._run("add", session_id, key, self._now())
        self._counted.add(session_id)

    def reset(self, session_id: str) -> None:
        if session_id in self._counted:
            self._run("reset", session_id)
            self._counted.discard(session_id)


class Stops:
    """Counts how often hooks block a stop; a hook with its own limit keeps its own count as well."""

    def __init__(self, rounds: Rounds | None = None) -> None:
        self._rounds: Final = rounds or RoundsInMemory()

    def settled(self, event: Event, decision: Decision, most: Callable[[], int]) -> Decision:
        """The decision; a block becomes a pass where the host would override it anyway."""
        if event.name == EventName.USER_PROMPT_SUBMIT and decision.vote is not Vote.DENY:
            self._rounds.reset(event.session_id)
        if event.name not in STOPS or decision.vote is not Vote.DENY:
            return decision
        session = f"{event.session_id}/{event.agent_id}" if event.agent_id else event.session_id
        cap = most()
        if self._rounds.count(session, ALL) < cap:
            self._rounds.add(session, ALL)
            return decision
        note = f"`{decision.decided_by}` would send the turn back again; that is allowed {cap} times a turn"
        return decision.let_be(note)
