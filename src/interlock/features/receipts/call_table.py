"""The table of tool calls: both ends of a call, what people read of it, and how they settle one."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from interlock.builtin_hooks.git import project_head
from interlock.effects.classification.book import CallNote, Earlier, Identity, identity_of, project_of
from interlock.effects.classification.classify import SideEffect
from interlock.errors import StoreError
from interlock.events.event import Event
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.receipts.records import (
    PREFIX,
    Receipt,
    RecordedCall,
    RedactBody,
    StepMark,
    call_of,
    summary_of,
    truncate,
)
from interlock.ledger.entry import Head
from interlock.ledger.writer import LedgerWriter
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

MOST_ATTEMPTS: Final = 2
_SHOWN: Final = 20  # unfinished calls that a session is told about
# The word a person says → status, error code, what it means for the next try.
ANSWERS: Final[dict[str, tuple[str, str | None, str | None]]] = {
    "succeeded": ("succeeded", None, None),
    "failed": ("failed", "resolved", None),
    "retry": ("failed", "retry", "retry"),
}


_DETAIL: Final = 2_000
_RECEIPT: Final = 500  # characters of a receipt that stand for the call


class CallTable:
    """The table of calls: prepared → running → succeeded or failed, each step one statement.

    The caller begins and ends the transaction; what a person resolves also becomes an entry of the ledger.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        ledger: LedgerWriter,
        *,
        redact: RedactBody | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name: Final = ledger.name  # removes secrets from the name of a folder or an actor
        self._connection: Final = connection
        self._ledger: Final = ledger
        self._redact: Final = redact
        self._clock: Final = clock
        self._sql: Final = statements("receipts")

    @contextmanager
    def step(self) -> Iterator[None]:
        """Make several changes as one, inside the transaction that the ledger's next flush ends."""
        try:
            with self._ledger.step("receipts"):
                yield
        except (sqlite3.Error, ValueError) as error:
            raise StoreError(f"the call cannot be recorded: {describe_error(error)}") from error

    def key(self, note: CallNote) -> str:
        """The key of a call in its run; raise ValueError if its arguments are not JSON."""
        return self.identity(note).key(note.run)

    def identity(self, note: CallNote) -> Identity:
        """What makes two calls the same; raise ValueError if the arguments are not JSON."""
        return note.identity or identity_of(_tool_of(note), note.call, self._redact)

    def earlier(self, key: str, note: CallNote) -> Earlier | None:
        """The same call if it succeeded or its end is unknown; a failed call may be made again."""
        tool, session = _tool_of(note), note.event.session_id
        row = self._run("before", call_key=key, session_id=session, use_id=tool.use_id).fetchone()
        if row is None or row[1] == "failed":
            return None
        name, status, at = row
        return Earlier(name=name, status=status, at=at, receipt=self._receipt(name))

    def prepare(self, note: CallNote, step: str | None = None) -> str:
        """Record a call that is about to run and return its name; a repeat gets a key of its own."""
        identity, tool, event = self.identity(note), _tool_of(note), note.event
        call_key = identity.key(note.run)
        recorded = self._run(
            "again", call_key=call_key, session_id=event.session_id, use_id=tool.use_id
        ).fetchone()
        if recorded is not None:
            return str(recorded[0])
        attempt_before = self._run("newest_like", call_key=call_key).fetchone()
        nonce = secrets.token_hex(8) if attempt_before else ""
        request = truncate(tool.input, self._redact)
        name = f"{PREFIX}{secrets.token_hex(5)}"
        self._run(
            "prepare",
            **_about(note, tool),
            actor=self.name(event.actor),
            effects=self.without_secrets(note.effects),
            name=name,
            run=self.name(note.run),
            step=step,
            now=self.now(),
            arguments=identity.arguments,
            key=identity.key(note.run, nonce),
            call_key=call_key,
            attempt=attempt_before[0] + 1 if attempt_before and attempt_before[1] == "retry" else 1,
            request=request.sha256,
            project=self.name(project_of(event)),
            summary=summary_of(tool, request),
        )
        self._store_excerpt(name, "request", "final", request)
        return name

    def running(self, name: str) -> bool:
        """Mark a prepared call as running."""
        return self._run("running", name=name, now=self.now()).rowcount == 1

    def receive(self, name: str, output: Any) -> None:
        """Store what came back, pending until the call is marked as ended."""
        self._store_excerpt(name, "response", "pending", truncate(output, self._redact))

    def succeeded(self, name: str, *, duration: float | None = None) -> bool:
        """Mark an open call as succeeded, which makes its receipt final."""
        changed = self._run("succeeded", name=name, now=self.now(), duration=duration).rowcount == 1
        if changed:
            self._run("final", name=name)
            self._run("answered", name=name)
        return changed

    def failed(
        self,
        name: str,
        *,
        code: str | None = None,
        detail: str | None = None,
        duration: float | None = None,
        waits: bool = False,
    ) -> bool:
        """Mark an open call as failed; with `waits`, a person should check what it left behind."""
        values = {"duration": duration, "code": code, "detail": self._truncate(detail), "waits": int(waits)}
        changed = self._run("failed", name=name, now=self.now(), **values).rowcount == 1
        self._run("final", name=name)
        return changed

    def mark(self, step: str, call: str, note: CallNote) -> None:
        """Record the current state, unless the step already has a mark of this kind."""
        kind = "read_only" if note.call.effect is SideEffect.READ_ONLY else "side_effect"
        # The store is asked each time: a mark that was written may have been rolled back.
        if self._run("is_marked", step=step, kind=kind).fetchone() is not None:
            return
        now, state = self.now(), self.without_secrets(_state_of(note.event, self._ledger.head))
        self._run("step", step=step, session_id=note.event.session_id, now=now)
        self._run("mark", step=step, kind=kind, call=call, now=now, state=state)

    def withdraw(self, session_id: str, use_id: str, *, code: str = "refused") -> None:
        """Mark a prepared call as failed, because it was refused after all."""
        self._run("withdraw", session_id=session_id, use_id=use_id, now=self.now(), code=code)

    def open_of(self, note: CallNote) -> str | None:
        """The name of the call whose end an event reports."""
        tool = _tool_of(note)
        if tool.use_id:
            row = self._run("of_use", session_id=note.event.session_id, use_id=tool.use_id).fetchone()
        else:
            row = self._run("of_key", call_key=self.key(note)).fetchone()
        return str(row[0]) if row else None

    def recover(self) -> list[str]:
        """After a crash, mark calls as ended whose response had already been stored."""
        names = [str(name) for (name,) in self._run("received").fetchall()]
        return [name for name in names if self.succeeded(name)]

    def forget(self, before: str, most: int) -> int:
        """Remove calls that ended before a time, with their receipts; those that wait for a person stay."""
        gone = self._run("forget", before=before, most=most).rowcount
        return max(gone, self._run("forget_steps", before=before, most=most).rowcount)

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
        filters = {"session_id": session, "tool": tool, "status": status, "most": most}
        return [call_of(row) for row in self._rows(name, filters)]

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
        rows = self._rows("receipts", (call.id,))
        return [Receipt(**dict(zip(names, row, strict=True))) for row in rows]

    def waiting(self, most: int) -> list[dict[str, Any]]:
        """The runs that wait for a person."""
        names = ("run", "calls", "since", "call")
        return [dict(zip(names, row, strict=True)) for row in self._rows("waiting", (most,))]

    def marks(self, session: str | None, most: int) -> list[StepMark]:
        """Step marks, newest step first."""
        names = StepMark.__struct_fields__[:-1]
        return [
            StepMark(**dict(zip(names, values, strict=True)), state=msgspec.json.decode(state))
            for *values, state in self._rows("marks", {"session_id": session, "most": most})
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
        values = {"name": name, "now": self.now(), "status": status, "code": code}
        with self.step():
            rest = {"replay_status": replay, "by": by, "note": note}
            if self._run("resolve", **values, **rest).rowcount != 1:
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

    def _receipt(self, name: str) -> str | None:
        row = self._run("response", name).fetchone()
        return str(row[0])[:_RECEIPT] if row else None

    def _store_excerpt(self, name: str, kind: str, state: str, excerpt: Any) -> None:
        self._run(
            "receipt", **msgspec.to_builtins(excerpt), name=name, kind=kind, state=state, now=self.now()
        )

    def without_secrets(self, value: JsonObject) -> str:
        """Encode a value as JSON, without its secrets."""
        written = msgspec.json.encode(value)
        return (self._redact(written) if self._redact else written).decode()

    def _truncate(self, text: str | None) -> str | None:
        if text is None:
            return None
        excerpt = truncate(text, self._redact)
        return str(msgspec.json.decode(excerpt.head) if not excerpt.tail else excerpt.head)[:_DETAIL]

    def _run(self, statement: str, *values: Any, **named: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[statement], named or values)

    def now(self) -> str:
        return timestamp(self._clock())


def _tool_of(note: CallNote) -> ToolCall:
    if note.event.tool is None:
        raise StoreError("only a tool call can be recorded")
    return note.event.tool


def _about(note: CallNote, tool: ToolCall) -> dict[str, Any]:
    call, event = note.call, note.event
    return {
        "raw": tool.name,
        "tool": call.tool,
        "namespace": call.namespace,
        "class": str(call.effect),
        "replay": str(call.replay),
        "matched": call.matched,
        "rule": call.rule or None,
        "session_id": event.session_id,
        "use_id": tool.use_id,
    }


def _state_of(event: Event, head: Head) -> JsonObject:
    """The end of the ledger, the folder, its commit, and how long the transcript is."""
    state: JsonObject = {
        "ledger": {"seq": head.seq, "hash": head.hash.hex()},
        "cwd": event.cwd,
        "project": project_of(event),
        "commitment_id": event.commitment_id,
        "permission_mode": event.permission_mode,
        "transcript": _transcript(event.transcript_path),
        "git": project_head(event.cwd),
    }
    return {name: value for name, value in state.items() if value}


def _transcript(path: str | None) -> JsonObject | None:
    if not path or not os.path.isabs(path):
        return None
    try:
        return {"path": path, "bytes": os.lstat(path).st_size}
    except (OSError, ValueError):
        return {"path": path}


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


def describe_error(error: Exception) -> str:
    return explain(error) if isinstance(error, sqlite3.Error) else str(error)
