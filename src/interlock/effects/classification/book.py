"""When two calls are the same, and the book where recording hooks stage and write calls."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

import msgspec

from interlock.effects.classification.classify import Classified, Repeat, Replay, RunScope, SideEffect
from interlock.effects.tool_fields import split_words
from interlock.errors import FailureKind, HookFailedError
from interlock.events.decision import Decision
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.verdict import Vote

_MAIL: Final = frozenset({"mail", "email", "gmail", "emails", "mails", "sendmail"})
_UPLOAD: Final = frozenset({"upload", "uploads"})
_MAIL_FIELDS: Final = (
    "to", "recipient", "recipients", "recipient_email", "cc", "bcc",
    "subject", "attachment", "attachments",
)  # fmt: skip
_UPLOAD_FIELDS: Final = (
    "path", "file", "file_path", "filepath", "source", "src",
    "destination", "dest", "target", "bucket", "key", "folder", "tool_slug", "toolkit_slug",
)  # fmt: skip
_MEMORY_FIELDS: Final = (
    "content", "contents", "text", "memory", "value", "observations", "entities", "relations",
)  # fmt: skip


def scope_of(call: Classified, arguments: JsonObject) -> JsonObject:
    """Return the fields that name the target of a call; all of them if none are known to."""
    words = {*split_words(call.tool), *split_words(call.namespace)}
    fields: tuple[str, ...] = _MEMORY_FIELDS if call.effect is SideEffect.MEMORY else ()
    if words & _MAIL:
        fields = _MAIL_FIELDS
    elif words & _UPLOAD:
        fields = _UPLOAD_FIELDS
    return {name: arguments[name] for name in fields if name in arguments} or arguments


# Fields that name one attempt at a call; compared without case, dashes and underscores.
TRY_FIELDS: Final = frozenset(
    """idempotencykey xidempotencykey idempotencytoken clientrequestid clienttoken clientrequesttoken
    requestid tooluseid toolcallid""".split()
)
# Fields of a host's own tools that do not change what they do.
_LABELS: Final[dict[str, frozenset[str]]] = {
    "Bash": frozenset({"description", "timeout"}),
    "Agent": frozenset({"description"}),
    "Monitor": frozenset({"description", "timeout_ms"}),
}


def normalised(tool: str, fields: JsonObject, same_by: tuple[str, ...] = ()) -> JsonObject:
    """Return the fields that make the call what it is; with `same_by`, only those."""
    labels = _LABELS.get(tool, frozenset())
    chosen = {name: value for name, value in fields.items() if name not in labels}
    if same_by:
        chosen = {name: fields[name] for name in same_by if name in fields}
    without_ids: JsonObject = _drop_try_fields(chosen)
    return without_ids


def canonical(value: Any) -> bytes:
    """Write JSON with sorted keys, no spaces and in ASCII; raise ValueError if the value is no JSON."""
    try:
        written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the arguments are not JSON: {error}") from error
    return written.encode("ascii")


def _drop_try_fields(value: Any) -> Any:
    if isinstance(value, dict):
        pairs = (pair for pair in value.items() if _fold(pair[0]) not in TRY_FIELDS)
        return {name: _drop_try_fields(inner) for name, inner in pairs}
    return [_drop_try_fields(inner) for inner in value] if isinstance(value, list | tuple) else value


def _fold(name: object) -> str:
    return name.replace("_", "").replace("-", "").lower() if isinstance(name, str) else ""


Redact = Callable[[bytes], bytes]


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a call the same as another, apart from the run it belongs to."""

    namespace: str
    tool: str
    arguments: str  # a digest
    scope: str  # a digest

    def key(self, run: str, nonce: str = "") -> str:
        """Return the key within a run; a nonce gives an allowed repeat its own key."""
        parts = (run, self.namespace, self.tool, self.arguments, self.scope, *([nonce] if nonce else []))
        # A tool may have any name: escaped, it cannot look like the end of one part.
        escaped = (part.replace("%", "%25").replace("|", "%7C") for part in parts)
        return _digest("|".join(escaped).encode("utf-8", "surrogatepass"))


def identity_of(tool: ToolCall, call: Classified, redact: Redact | None = None) -> Identity:
    """Return the identity of a call; raise ValueError if its arguments are not JSON.

    Digests are made after redaction: the digest of a text with a short password would give it away, and
    keyed fingerprints still tell one secret from another.
    """
    arguments = normalised(call.tool, tool.input, call.same_by)
    scope = scope_of(call, arguments)
    whole = _redacted_digest(arguments, redact)
    target = whole if scope is arguments else _redacted_digest(scope, redact)
    return Identity(namespace=call.namespace, tool=call.tool, arguments=whole, scope=target)


def _redacted_digest(value: JsonObject, redact: Redact | None) -> str:
    written = canonical(value)
    return _digest(redact(written) if redact else written)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class CallNote(msgspec.Struct, frozen=True, kw_only=True):
    """A call as a recording hook sees it."""

    event: Event
    call: Classified
    scope: RunScope = RunScope.SESSION
    repeat: Repeat = Repeat.ALLOW
    effects: JsonObject = {}  # what a shell text creates, writes, deletes and reaches
    identity: Identity | None = None  # None: not computed yet

    @property
    def run(self) -> str:
        """The session or project of the call; the same call in another run is not a repeat."""
        return self.event.session_id if self.scope is RunScope.SESSION else project_of(self.event)


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """The same call, made before."""

    name: str  # `tc_…`; empty until it is decided
    status: str
    at: str = ""
    receipt: str | None = None  # its result, as far as it was stored


class CallBook(Protocol):
    """Hooks stage calls here; what they stage is written once the call is decided."""

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call and return an earlier one like it; raise HookFailedError when that fails."""

    def close(self, note: CallNote) -> None:
        """Stage the end of a call, with its output or error."""

    def settle(self, event: Event, decision: Decision) -> None:
        """Write what was staged for an event, or drop it when the call is denied."""

    def withdraw(self, event: Event) -> None:
        """Drop what was staged: there is no decision and the call does not happen."""


class NoBook:
    """A book that stores nothing, for a policy that is only inspected or replayed."""

    def prepare(self, note: CallNote) -> Earlier | None:  # noqa: ARG002 - the protocol's signature
        return None

    def close(self, note: CallNote) -> None: ...

    def settle(self, event: Event, decision: Decision) -> None: ...

    def withdraw(self, event: Event) -> None: ...


NO_BOOK: Final = NoBook()


def project_of(event: Event) -> str:
    """Return the folder a session works in."""
    return event.project or event.cwd


CallKey = tuple[str, str, str, str]


class Staged:
    """Staged calls by event, session, the host's id of the call, and tool."""

    def __init__(self) -> None:
        self.notes: Final[dict[CallKey, tuple[CallNote, str]]] = {}

    def put(self, note: CallNote, key: str = "") -> None:
        """Stage a call under its key; of two hooks' views of it, keep the wider scope and known effects."""
        place = _call_key(note.event)
        if (before := self.notes.get(place)) is not None:
            scope = max(note.scope, before[0].scope, key=list(RunScope).index)
            note = msgspec.structs.replace(note, scope=scope, effects=note.effects or before[0].effects)
        self.notes[place] = (note, key)

    def take(self, event: Event) -> CallNote | None:
        """Remove and return what was staged for an event."""
        staged = self.notes.pop(_call_key(event), None) if self.notes else None
        return staged[0] if staged else None

    def others(self, note: CallNote, key: str) -> Iterator[CallNote]:
        """Return the other calls with this key that are being decided now."""
        own = _call_key(note.event)
        return (other for place, (other, its_key) in self.notes.items() if its_key == key and place != own)


def _call_key(event: Event) -> CallKey:
    tool = event.tool
    return (event.name, event.session_id, (tool.use_id or "") if tool else "", tool.name if tool else "")


_RECEIPT_LENGTH: Final = 500
_MAX_CALLS: Final = 10_000


class MemoryBook:
    """Stores the last call under each key, in the memory of an engine without a database."""

    def __init__(self) -> None:
        self._staged: Final = Staged()
        self._by_key: Final[dict[str, Earlier]] = {}
        self._open: Final[dict[tuple[str, str], str]] = {}  # session and id of the call → its key
        self._lock: Final = threading.RLock()

    def prepare(self, note: CallNote) -> Earlier | None:
        """Stage a call and return an earlier one that succeeded or is under way."""
        with self._lock:
            key = key_of(note)
            busy = next(self._staged.others(note, key), None)
            self._staged.put(note, key)
            if note.call.replay is not Replay.EXACT:
                return None
            return self._by_key.get(key) or (Earlier(name="", status="prepared") if busy else None)

    def close(self, note: CallNote) -> None:
        with self._lock:
            self._staged.put(note)

    def settle(self, event: Event, decision: Decision) -> None:
        """Store what was staged, unless the call was denied."""
        with self._lock:
            note = self._staged.take(event)
            if note is None or event.tool is None:
                return
            call = (event.session_id, event.tool.use_id or "")
            if event.name == EventName.PRE_TOOL_USE:
                if decision.vote is not Vote.DENY:
                    self._begin(call, key_of(note))
                return
            self._end(self._open.pop(call, "") or key_of(note), event)

    def withdraw(self, event: Event) -> None:
        with self._lock:
            self._staged.take(event)

    def _begin(self, call: tuple[str, str], key: str) -> None:
        self._open[call] = key
        while len(self._open) > _MAX_CALLS:
            del self._open[next(iter(self._open))]
        while len(self._by_key) > _MAX_CALLS:
            del self._by_key[next(iter(self._by_key))]
        if key not in self._by_key or self._by_key[key].status != "succeeded":
            self._by_key[key] = Earlier(name=f"tc_{key[:10]}", status="prepared")

    def _end(self, key: str, event: Event) -> None:
        if event.name == EventName.POST_TOOL_USE:
            text = _receipt_text(event.tool_output)
            self._by_key[key] = Earlier(name=f"tc_{key[:10]}", status="succeeded", receipt=text)
        elif (earlier := self._by_key.get(key)) is not None and earlier.status != "succeeded":
            del self._by_key[key]  # it failed, so it may be tried again


def key_of(note: CallNote) -> str:
    """Return the key of a staged call; raise HookFailedError if its arguments cannot be compared."""
    if note.event.tool is None:
        raise HookFailedError(FailureKind.CRASH, "only a tool call can be recorded")
    try:
        return identity_of(note.event.tool, note.call).key(note.run)
    except ValueError as error:
        raise HookFailedError(FailureKind.CRASH, f"the call cannot be recorded: {error}") from error


def _receipt_text(output: object) -> str:
    if isinstance(output, str):
        return output[:_RECEIPT_LENGTH]
    try:
        return msgspec.json.encode(output).decode()[:_RECEIPT_LENGTH]
    except (TypeError, ValueError, RecursionError):
        return repr(output)[:_RECEIPT_LENGTH]
