"""A recorded tool call, its receipts, and what people and agents read about it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from interlock.effects.classification.classify import Replay, SideEffect
from interlock.events.text import and_more, plural, printable_line, shorten
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS

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
    stored = redact(written) if redact else written
    whole = len(stored) <= WHOLE
    return Excerpt(
        head=(stored if whole else stored[:_HALF]).decode("utf-8", "replace"),
        tail="" if whole else stored[-_HALF:].decode("utf-8", "replace"),
        bytes=len(stored),
        sha256=hashlib.sha256(stored).hexdigest(),
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
    names = ", ".join(f"{call.name} ({call.tool})" for call in calls[:_FILES])
    more = and_more(len(calls), _FILES)
    return (
        f"Interlock: {plural(len(calls), 'tool call')} without a known end in this project: "
        f"{names}{more}. See `interlock receipts list --unfinished`; when you know how one ended, run "
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
    start = f"{call.name}: {call.tool} ({call.side_effect}), started {call.created_at}"
    return f"{start}: {call.summary}; {how_to_look(call)}"


class Receipt(Excerpt, frozen=True, kw_only=True):
    """The stored input or output of a call."""

    kind: str  # `request` or `response`
    state: str  # `pending` or `final`
    created_at: str


class StepMark(msgspec.Struct, frozen=True, kw_only=True):
    """The state before the first call of its kind in a step."""

    step: str
    session_id: str
    kind: str  # `read_only` or `side_effect`
    call: str
    taken_at: str
    state: JsonObject


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
    texts = {
        receipt.kind: receipt.text if receipt.tail else msgspec.json.decode(receipt.head)
        for receipt in receipts
    }
    fields = {
        **msgspec.structs.asdict(call),
        "input": texts.get("request"),
        "output": texts.get("response"),
        "error": call.error_detail or call.error_code,
        "started_at": call.created_at,
    }
    return ToolRecord(**{name: fields[name] for name in ToolRecord.__struct_fields__})
