"""The ledger of tool calls: prepared → running → succeeded or failed, each step one statement."""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.effects.classification.book import CallNote, Earlier, project_of
from interlock.effects.classification.key import Identity, identity_of
from interlock.errors import StoreError
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.receipts.call import PREFIX, RedactBody, summary_of, truncate
from interlock.store.clock import timestamp
from interlock.store.statements import statements

_DETAIL: Final = 2_000
_RECEIPT: Final = 500  # characters of a receipt that stand for the call


class ToolLedger:
    """Writes on the connection it is given; the caller begins and ends the transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        redact: RedactBody | None = None,
        name: Callable[[str], str] = str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name: Final = name  # how a folder or an actor stands here, without secrets
        self._connection: Final = connection
        self._redact: Final = redact
        self._clock: Final = clock
        self._sql: Final = statements("receipts")

    def key(self, note: CallNote) -> str:
        """The key a call is known by in its run; raise ValueError when its arguments are not JSON."""
        return self.identity(note).key(note.run)

    def identity(self, note: CallNote) -> Identity:
        """What makes the call the same as another; raise ValueError when its arguments are not JSON."""
        return note.identity or identity_of(_tool_of(note), note.call, self._redact)

    def earlier(self, key: str, note: CallNote) -> Earlier | None:
        """The same call, where it succeeded or its end is not known; a failed one is not an obstacle."""
        tool, session = _tool_of(note), note.event.session_id
        row = self._run("before", call_key=key, session_id=session, use_id=tool.use_id).fetchone()
        if row is None or row[1] == "failed":
            return None
        name, status, at = row
        return Earlier(name=name, status=status, at=at, receipt=self._receipt(name))

    def prepare(self, note: CallNote, step: str | None = None) -> str:
        """Record a call that is about to run and give its name; a repeat gets a key of its own."""
        identity, tool, event = self.identity(note), _tool_of(note), note.event
        call_key = identity.key(note.run)
        same = self._run(
            "again", call_key=call_key, session_id=event.session_id, use_id=tool.use_id
        ).fetchone()
        if same is not None:
            return str(same[0])
        before = self._run("newest_like", call_key=call_key).fetchone()
        nonce = secrets.token_hex(8) if before else ""
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
            attempt=before[0] + 1 if before and before[1] == "retry" else 1,
            request=request.sha256,
            project=self.name(project_of(event)),
            summary=summary_of(tool, request),
        )
        self._keep(name, "request", "final", request)
        return name

    def running(self, name: str) -> bool:
        """prepared → running."""
        return self._run("running", name=name, now=self.now()).rowcount == 1

    def receive(self, name: str, output: Any) -> None:
        """Keep what came back, pending until the call is marked as ended."""
        self._keep(name, "response", "pending", truncate(output, self._redact))

    def succeeded(self, name: str, *, duration: float | None = None) -> bool:
        """prepared or running → succeeded, and its receipt is final with it."""
        done = self._run("succeeded", name=name, now=self.now(), duration=duration).rowcount == 1
        if done:
            self._run("final", name=name)
            self._run("answered", name=name)
        return done

    def failed(
        self,
        name: str,
        *,
        code: str | None = None,
        detail: str | None = None,
        duration: float | None = None,
        waits: bool = False,
    ) -> bool:
        """prepared or running → failed; `waits`: a person should look what it has left behind."""
        kept = self._text(detail)
        done = self._run(
            "failed", name=name, now=self.now(), duration=duration, code=code, detail=kept, waits=int(waits)
        )
        self._run("final", name=name)
        return done.rowcount == 1

    def withdraw(self, session_id: str, use_id: str, *, code: str = "refused") -> None:
        """prepared → failed, for a call that was refused after all."""
        self._run("withdraw", session_id=session_id, use_id=use_id, now=self.now(), code=code)

    def open_of(self, note: CallNote) -> str | None:
        """The name of the call an event reports the end of."""
        tool = _tool_of(note)
        if tool.use_id:
            row = self._run("of_use", session_id=note.event.session_id, use_id=tool.use_id).fetchone()
        else:
            row = self._run("of_key", call_key=self.key(note)).fetchone()
        return str(row[0]) if row else None

    def recover(self) -> list[str]:
        """Mark the calls whose response was received as ended: a crash came before the mark."""
        names = [str(name) for (name,) in self._run("received").fetchall()]
        return [name for name in names if self.succeeded(name)]

    def forget(self, before: str, most: int) -> int:
        """Remove calls that ended before a time, with their receipts; what waits for a person stays."""
        gone = self._run("forget", before=before, most=most).rowcount
        return max(gone, self._run("forget_steps", before=before, most=most).rowcount)

    def _receipt(self, name: str) -> str | None:
        row = self._run("response", name).fetchone()
        return str(row[0])[:_RECEIPT] if row else None

    def _keep(self, name: str, kind: str, state: str, kept: Any) -> None:
        self._run("receipt", **msgspec.to_builtins(kept), name=name, kind=kind, state=state, now=self.now())

    def without_secrets(self, value: JsonObject) -> str:
        """A JSON value as it is written down, without its secrets."""
        written = msgspec.json.encode(value)
        return (self._redact(written) if self._redact else written).decode()

    def _text(self, text: str | None) -> str | None:
        if text is None:
            return None
        kept = truncate(text, self._redact)
        return str(msgspec.json.decode(kept.head) if not kept.tail else kept.head)[:_DETAIL]

    def _run(self, statement: str, *values: Any, **named: Any) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[statement], named or values)

    def now(self) -> str:
        """This moment, as rows have it."""
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
