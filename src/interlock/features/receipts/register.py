"""Reading recorded calls, and resolving those whose end nobody saw."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from interlock.errors import StoreError
from interlock.events.tool import JsonObject
from interlock.features.receipts.book import ReceiptStore, StepMark
from interlock.features.receipts.tool_ledger import MOST_ATTEMPTS, PREFIX, Excerpt, RecordedCall, call_of
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

_SHOWN: Final = 20  # unfinished calls that a session is told about
# The word a person says → status, error code, what it means for the next try.
ANSWERS: Final[dict[str, tuple[str, str | None, str | None]]] = {
    "succeeded": ("succeeded", None, None),
    "failed": ("failed", "resolved", None),
    "retry": ("failed", "retry", "retry"),
}


class Receipt(Excerpt, frozen=True, kw_only=True):
    """The stored input or output of a call."""

    kind: str  # `request` or `response`
    state: str  # `pending` or `final`
    created_at: str


class Register:
    """Reads the table of calls; what a person resolves also becomes an entry of the ledger."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        book: ReceiptStore,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._book: Final = book
        self._clock: Final = clock
        self._sql: Final = statements("receipts")

    def list_calls(
        self,
        *,
        unfinished: bool = False,
        session: str | None,
        most: int,
        tool: str | None = None,
        status: str | None = None,
    ) -> list[RecordedCall]:
        """Calls, newest first; `unfinished` includes those that wait for a person."""
        name = "unfinished" if unfinished else "listed" if session is None else "listed_of"
        wanted = {"session_id": session, "tool": tool, "status": status, "most": most}
        return [call_of(row) for row in self._rows(name, wanted)]

    def get(self, name: str) -> RecordedCall:
        if not name.startswith(PREFIX):
            raise StoreError(
                f"`{name}` is not the id of a call; write `{PREFIX}…` as `interlock receipts list` shows it"
            )
        rows = self._rows("get", (name,))
        if not rows:
            raise StoreError(f"there is no recorded call `{name}`; see `interlock receipts list`")
        return call_of(rows[0])

    def receipts(self, call: RecordedCall) -> list[Receipt]:
        names = ("kind", "state", "head", "tail", "bytes", "sha256", "created_at")
        found = self._rows("receipts", (call.id,))
        return [Receipt(**dict(zip(names, row, strict=True))) for row in found]

    def waiting(self, most: int) -> list[dict[str, Any]]:
        """The runs that wait for a person."""
        names = ("run", "calls", "since", "call")
        return [dict(zip(names, row, strict=True)) for row in self._rows("waiting", (most,))]

    def marks(self, session: str | None, most: int) -> list[StepMark]:
        """Step marks, newest step first."""
        names = StepMark.__struct_fields__[:-1]
        return [
            StepMark(**dict(zip(names, about, strict=True)), state=msgspec.json.decode(state))
            for *about, state in self._rows("marks", {"session_id": session, "most": most})
        ]

    def unfinished_in(self, project: str) -> list[RecordedCall]:
        """Calls of a project that may have left a mark and have no known end, oldest first."""
        rows = self._rows("open_in", {"project": self._ledger.name(project), "most": _SHOWN})
        return [call_of(row) for row in rows][::-1]

    def resolve(self, name: str, answer: str, *, by: str, note: str | None = None) -> RecordedCall:
        """Record how a call ended, or that it may run again; raise StoreError if the answer does not fit."""
        call = self.get(name)
        self._check(call, answer)
        status, code, replay = ANSWERS[answer]
        values = {"name": name, "now": timestamp(self._clock()), "status": status, "code": code}
        with self._book.step():
            rest = {"replay_status": replay, "by": by, "note": note}
            if self._connection.execute(self._sql["resolve"], {**values, **rest}).rowcount != 1:
                raise StoreError(f"{name} was settled in the meantime; see `interlock receipts show {name}`")
            self._ledger.append("receipt", by, call.project, _body(call, answer, by, note))
        return msgspec.structs.replace(call, status=status, waits=False, resolved_by=by, note=note)

    def _check(self, call: RecordedCall, answer: str) -> None:
        if answer not in ANSWERS:
            raise StoreError(f"`{answer}` is not an answer; use one of {', '.join(ANSWERS)}")
        if not call.unfinished and not call.waits:
            raise StoreError(f"{call.name} already {call.status}; there is nothing to settle")
        if answer != "retry":
            return
        if not call.unfinished:
            raise StoreError(
                f"{call.name} failed and may be tried again without an answer; use --failed to settle it"
            )
        if call.attempt >= MOST_ATTEMPTS:
            raise StoreError(
                f"{call.name} was attempt {call.attempt} of {MOST_ATTEMPTS}; find out how it ended and "
                "use --succeeded or --failed"
            )

    def _rows(self, name: str, values: Any) -> Sequence[tuple[Any, ...]]:
        try:
            return self._connection.execute(self._sql[name], values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the recorded calls cannot be read: {explain(error)}") from error


def _body(call: RecordedCall, answer: str, by: str, note: str | None) -> dict[str, object]:
    body: dict[str, object] = {
        "receipt": call.name,
        "answer": answer,
        "by": by,
        "tool": call.tool,
        "session_id": call.session_id,
        "tool_use_id": call.use_id,
        "side_effect": str(call.side_effect),
        "summary": call.summary,
        "attempt": call.attempt,
        "note": note,
    }
    return {name: value for name, value in body.items() if value is not None}


class ToolRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One call, for Python programs; a long text has a line where something was left out."""

    name: str  # tc_…
    session_id: str
    tool: str
    input: Any
    output: Any
    status: str  # prepared, running, succeeded or failed
    error: str | None
    duration_ms: float | None
    started_at: str
    updated_at: str
    use_id: str | None
    actor: str
    project: str
    effects: JsonObject


def record_of(call: RecordedCall, receipts: Sequence[Receipt]) -> ToolRecord:
    texts = {one.kind: one.text if one.tail else msgspec.json.decode(one.head) for one in receipts}
    return ToolRecord(
        name=call.name,
        session_id=call.session_id,
        tool=call.tool,
        input=texts.get("request"),
        output=texts.get("response"),
        status=call.status,
        error=call.error_detail or call.error_code,
        duration_ms=call.duration_ms,
        started_at=call.created_at,
        updated_at=call.updated_at,
        use_id=call.use_id,
        actor=call.actor,
        project=call.project,
        effects=call.effects,
    )
