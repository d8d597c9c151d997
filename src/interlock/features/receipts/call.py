"""One recorded call as a row of its table, and how much of a long input or output it keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from interlock.effects.classification.classify import Replay, SideEffect
from interlock.events.short_text import and_more, plural, printable_line, shorten
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS

WHOLE: Final = 16 * 1024
_HALF: Final = WHOLE // 2
RedactBody = Callable[[bytes], bytes]


class Excerpt(msgspec.Struct, frozen=True, kw_only=True):
    """A text as it is stored; the tail is empty where the head is all of it."""

    head: str
    tail: str
    bytes: int
    sha256: str

    @property
    def text(self) -> str:
        """The text as people read it, with a line where something was left out."""
        if not self.tail:
            return self.head
        left_out = self.bytes - 2 * _HALF
        return f"{self.head}\n… {left_out:,} bytes left out, sha256 of all: {self.sha256} …\n{self.tail}"


def truncate(value: Any, redact: RedactBody | None = None) -> Excerpt:
    """Keep a JSON value; secrets are taken out first, or half a secret would be none that anybody knows."""
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
    except (
        TypeError,
        ValueError,
        RecursionError,
    ):  # an agent in this process may pass what JSON does not know
        return msgspec.json.encode(repr(value).encode("utf-8", "replace").decode())


_LONGEST: Final = 200
_MEMBER: Final = 80


def summary_of(tool: ToolCall, request: Excerpt) -> str:
    """The tool's main argument, or its arguments by name."""
    if request.tail:
        return _one_line(request.head)
    fields = msgspec.json.decode(request.head)
    if not isinstance(fields, dict):
        return _one_line(str(fields))
    spec = STANDARD_TOOLS.spec(tool.name)
    main = fields.get(spec.main) if spec is not None and spec.main else None
    if isinstance(main, str):
        return _one_line(main)
    return _one_line(", ".join(f"{name}: {_value(value)}" for name, value in fields.items()))


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return shorten(text, _MEMBER)


def _one_line(text: str) -> str:
    return printable_line(text, _LONGEST)


PREFIX: Final = "tc_"
OPEN: Final = frozenset({"prepared", "running"})
MOST_ATTEMPTS: Final = 2


class RecordedCall(msgspec.Struct, frozen=True, kw_only=True):
    """A row in the order in which the statements give its columns."""

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
    waits: bool  # for a person to look
    resolved_by: str | None
    note: str | None
    step: str | None  # the step of its session, `st_…`; None: nobody saw it begin

    @property
    def unfinished(self) -> bool:
        """Whether nobody has seen its end."""
        return self.status in OPEN


def call_of(row: tuple[Any, ...]) -> RecordedCall:
    """A call as the database gives it."""
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
    """For the agent: what may have happened, how to look, and not to repeat it blindly."""
    head = (
        f"{plural(len(calls), 'tool call')} in this project started before this session and nobody saw "
        "the end. Each may have happened, in part or in full, or not at all. Do not repeat them blindly: "
        "first check whether they took effect, and tell the user what you found."
    )
    return "\n".join((head, *(f"- {_line(call)}" for call in calls)))


def message_of(calls: Sequence[RecordedCall]) -> str:
    """For the person: that there are such calls, and how to settle them."""
    shown = ", ".join(f"{call.name} ({call.tool})" for call in calls[:_FILES])
    more = and_more(len(calls), _FILES)
    return (
        f"Interlock: {plural(len(calls), 'tool call')} without a known end in this project: "
        f"{shown}{more}. See `interlock receipts list --unfinished`; when you know how one ended, run "
        "`interlock receipts resolve ID --succeeded`, `--failed` or `--retry`."
    )


def how_to_look(call: RecordedCall) -> str:
    """Where the effect of a call would show."""
    if call.replay is Replay.RELAUNCH:
        return "check whether its work left results; it may be started again"
    touched = [
        *call.effects.get("creates", ()),
        *call.effects.get("writes", ()),
        *call.effects.get("deletes", ()),
    ]
    if touched:
        return f"look at {', '.join(f'`{path}`' for path in touched[:_FILES])}"
    return _LOOK[call.side_effect]


def _line(call: RecordedCall) -> str:
    begun = f"{call.name}: {call.tool} ({call.side_effect}), started {call.created_at}"
    return f"{begun}: {call.summary}; {how_to_look(call)}"
