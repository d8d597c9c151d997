"""The table of tool calls and its rows: prepared → running → succeeded or failed, each step one statement."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from interlock.effects.classification.book import CallNote, Earlier, Identity, identity_of, project_of
from interlock.effects.classification.classify import Replay, SideEffect
from interlock.errors import StoreError
from interlock.events.text import and_more, plural, printable_line, shorten
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.store.clock import timestamp
from interlock.store.statements import statements

WHOLE: Final = 16 * 1024
_HALF: Final = WHOLE // 2
RedactBody = Callable[[bytes], bytes]


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """A text as it is stored: whole in `head`, or only its head and tail."""

    head: str
    tail: str
    bytes: int
    sha256: str

    @property
    def text(self) -> str:
        """The text for people, with a line where something was left out."""
        if not self.tail:
            return self.head
        left_out = self.bytes - 2 * _HALF
        return f"{self.head}\n… {left_out:,} bytes left out, sha256 of all: {self.sha256} …\n{self.tail}"


def truncate(value: Any, redact: RedactBody | None = None) -> Excerpt:
    """Cut a JSON value; secrets are removed first, because half a secret would not be recognized."""
    written = _encode(value)
    kept = redact(written) if redact else written
    whole = len(kept) <= WHOLE
    return Excerpt(
        head=(kept if whole else kept[:_HALF]).decode("utf-8", "replace"),
        tail="" if whole else kept[-_HALF:].decode("utf-8", "replace"),
        bytes=len(kept),
        sha256=hashlib.sha256(kept).hexdigest(),
    )


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (TypeError, ValueError, RecursionError):  # from an agent in this process: any Python object
        return msgspec.json.encode(repr(value).encode("utf-8", "replace").decode())


_LONGEST: Final = 200
_MEMBER: Final = 80


def summary_of(tool: ToolCall, request: Excerpt) -> str:
    """The tool's main argument, or its arguments by name."""
    text = request.head
    if not request.tail:
        fields = msgspec.json.decode(text)
        text = _main_argument(tool, fields) if isinstance(fields, dict) else str(fields)
    return printable_line(text, _LONGEST)


def _main_argument(tool: ToolCall, fields: JsonObject) -> str:
    spec = STANDARD_TOOLS.spec(tool.name)
    main = fields.get(spec.main) if spec is not None and spec.main else None
    if isinstance(main, str):
        return main
    texts = {
        name: value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in fields.items()
    }
    return ", ".join(f"{name}: {shorten(text, _MEMBER)}" for name, text in texts.items())


PREFIX: Final = "tc_"
OPEN: Final = frozenset({"prepared", "running"})
MOST_ATTEMPTS: Final = 2


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A row; the fields are in the order of the statements' columns."""

    id: int
    name: str
    run: str
    session_id: str
    use_id: str | None
    project: str
    actor: str
    tool: str
    namespace: str
    side_effect: SideEffect
    replay: Replay
    replay_status: str | None  # `retry`: a person lets it run once more
    matched: str | None
    rule: str | None
    arguments: str
    idempotency_key: str
    call_key: str
    status: str
    attempt: int
    created_at: str
    updated_at: str
    duration_ms: float | None
    error_code: str | None
    error_detail: str | None
    summary: str
    effects: JsonObject
    waits: bool  # for a person to check what it left behind
    resolved_by: str | None
    note: str | None
    step: str | None  # the step of its session, `st_…`; None: nobody saw it begin

    @property
    def unfinished(self) -> bool:
        return self.status in OPEN


def call_of(row: tuple[Any, ...]) -> RecordedCall:
    fields = dict(zip(RecordedCall.__struct_fields__, row, strict=True))
    return RecordedCall(
        **{
            **fields,
            "side_effect": SideEffect(fields["side_effect"]),
            "replay": Replay(fields["replay"]),
            "effects": msgspec.json.decode(fields["effects"]),
            "waits": bool(fields["waits"]),
        }
    )


_FILES: Final = 5
_LOOK: Final = {
    SideEffect.EXTERNAL: "check on the other side whether it arrived, with a call that only reads",
    SideEffect.MEMORY: "read the memory back",
    SideEffect.LOCAL: "check the files it would have changed",
    SideEffect.READ_ONLY: "it changes nothing",
}


def context_of(calls: Sequence[RecordedCall]) -> str:
    """For the agent: what may have happened, how to check, and not to repeat it blindly."""
    head = (
        f"{plural(len(calls), 'tool call')} in this project started before this session and nobody saw "
        "the end. Each may have happened, in part or in full, or not at all. Do not repeat them blindly: "
        "first check whether they took effect, and tell the user what you found."
    )
    return "\n".join((head, *(f"- {_line(call)}" for call in calls)))


def message_of(calls: Sequence[RecordedCall]) -> str:
    """For the person: which calls have no known end, and how to settle them."""
    shown = ", ".join(f"{call.name} ({call.tool})" for call in calls[:_FILES])
    more = and_more(len(calls), _FILES)
    return (
        f"Interlock: {plural(len(calls), 'tool call')} without a known end in this project: "
        f"{shown}{more}. See `interlock receipts list --unfinished`; when you know how one ended, run "
        "`interlock receipts resolve ID --succeeded`, `--failed` or `--retry`."
    )


def how_to_look(call: RecordedCall) -> str:
    if call.replay is Replay.RELAUNCH:
        return "check whether its work left results; it may be started again"
    touched = [path for kind in ("creates", "writes", "deletes") for path in call.effects.get(kind, ())]
    if touched:
        return f"look at {', '.join(f'`{path}`' for path in touched[:_FILES])}"
    return _LOOK[call.side_effect]


def _line(call: RecordedCall) -> str:
    begun = f"{call.name}: {call.tool} ({call.side_effect}), started {call.created_at}"
    return f"{begun}: {call.summary}; {how_to_look(call)}"


_DETAIL: Final = 2_000
_RECEIPT: Final = 500  # characters of a receipt that stand for the call


class ToolLedger:
    """The table of calls; the caller begins and ends the transaction."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        redact: RedactBody | None = None,
        name: Callable[[str], str] = str,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.name: Final = name  # removes secrets from the name of a folder or an actor
        self._connection: Final = connection
        self._redact: Final = redact
        self._clock: Final = clock
        self._sql: Final = statements("receipts")

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
        """Mark a prepared call as running."""
        return self._run("running", name=name, now=self.now()).rowcount == 1

    def receive(self, name: str, output: Any) -> None:
        """Store what came back, pending until the call is marked as ended."""
        self._keep(name, "response", "pending", truncate(output, self._redact))

    def succeeded(self, name: str, *, duration: float | None = None) -> bool:
        """Mark an open call as succeeded, which makes its receipt final."""
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
        """Mark an open call as failed; with `waits`, a person should check what it left behind."""
        kept = self._truncate(detail)
        done = self._run(
            "failed", name=name, now=self.now(), duration=duration, code=code, detail=kept, waits=int(waits)
        )
        self._run("final", name=name)
        return done.rowcount == 1

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

    def _receipt(self, name: str) -> str | None:
        row = self._run("response", name).fetchone()
        return str(row[0])[:_RECEIPT] if row else None

    def _keep(self, name: str, kind: str, state: str, kept: Any) -> None:
        self._run("receipt", **msgspec.to_builtins(kept), name=name, kind=kind, state=state, now=self.now())

    def without_secrets(self, value: JsonObject) -> str:
        """Encode a value as JSON, without its secrets."""
        written = msgspec.json.encode(value)
        return (self._redact(written) if self._redact else written).decode()

    def _truncate(self, text: str | None) -> str | None:
        if text is None:
            return None
        kept = truncate(text, self._redact)
        return str(msgspec.json.decode(kept.head) if not kept.tail else kept.head)[:_DETAIL]

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
