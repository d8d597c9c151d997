"""The key under which a call is known when it comes again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Final

import msgspec

from interlock.effects.classification.classify import Classified, SideEffect
from interlock.effects.tools.fields import words_of
from interlock.events.tool import JsonObject, ToolCall

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
    """The fields of a call that say what it is aimed at; all of them where none are known to."""
    found = {name: arguments[name] for name in _fields(call) if name in arguments}
    return found or arguments


def _fields(call: Classified) -> tuple[str, ...]:
    words = {*words_of(call.tool), *words_of(call.namespace)}
    if words & _MAIL:
        return _MAIL_FIELDS
    if words & _UPLOAD:
        return _UPLOAD_FIELDS
    return _MEMORY_FIELDS if call.effect is SideEffect.MEMORY else ()


# Fields that name one try of a call and not the call; compared without case, dashes and underscores.
TRY_FIELDS: Final = frozenset(
    {
        "idempotencykey",
        "xidempotencykey",
        "idempotencytoken",
        "clientrequestid",
        "clienttoken",
        "clientrequesttoken",
        "requestid",
        "tooluseid",
        "toolcallid",
    }
)
# What a host's own tools are told beside what they do: labels and patience.
_LABELS: Final[dict[str, frozenset[str]]] = {
    "Bash": frozenset({"description", "timeout"}),
    "Agent": frozenset({"description"}),
    "Monitor": frozenset({"description", "timeout_ms"}),
}


def normalised(tool: str, fields: JsonObject, same_by: tuple[str, ...] = ()) -> JsonObject:
    """The fields that make the call what it is; with `same_by`, only those."""
    labels = _LABELS.get(tool, frozenset())
    chosen = {name: value for name, value in fields.items() if name not in labels}
    if same_by:
        chosen = {name: fields[name] for name in same_by if name in fields}
    found: JsonObject = _without_tries(chosen)
    return found


def canonical(value: Any) -> bytes:
    """The one way to write a JSON value: sorted keys, no spaces, ASCII; raise ValueError for no JSON."""
    try:
        written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the arguments are not JSON: {error}") from error
    return written.encode("ascii")


def _without_tries(value: Any) -> Any:
    if isinstance(value, dict):
        kept = (pair for pair in value.items() if _fold(pair[0]) not in TRY_FIELDS)
        return {name: _without_tries(inner) for name, inner in kept}
    return [_without_tries(inner) for inner in value] if isinstance(value, list | tuple) else value


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
        """The key within a run; a nonce makes another of it, for a repeat that is allowed."""
        parts = (run, self.namespace, self.tool, self.arguments, self.scope, *([nonce] if nonce else []))
        return _digest("|".join(map(_escape, parts)).encode("utf-8", "surrogatepass"))


def identity_of(tool: ToolCall, call: Classified, redact: Redact | None = None) -> Identity:
    """The identity of a call; raise ValueError when its arguments are not JSON.

    Digests are made of what is left when secrets are taken out: the digest of a text with a short password
    would give it away, and keyed fingerprints still tell one secret from another.
    """
    arguments = normalised(call.tool, tool.input, call.same_by)
    scope = scope_of(call, arguments)
    whole = _redacted_digest(arguments, redact)
    aimed = whole if scope is arguments else _redacted_digest(scope, redact)
    return Identity(namespace=call.namespace, tool=call.tool, arguments=whole, scope=aimed)


def _redacted_digest(value: JsonObject, redact: Redact | None) -> str:
    written = canonical(value)
    return _digest(redact(written) if redact else written)


def _escape(part: str) -> str:
    # A tool may be called anything; its name must not look like the end of one part.
    return part.replace("%", "%25").replace("|", "%7C")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
