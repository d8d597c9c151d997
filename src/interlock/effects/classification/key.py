"""The key under which a call is known when it comes again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import msgspec

from interlock.effects.classification.classes import Classified
from interlock.effects.classification.normal import canonical, normalised
from interlock.effects.classification.scope import scope_of
from interlock.events.tool import JsonObject, ToolCall

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
        return _digest("|".join(map(_escaped, parts)).encode("utf-8", "surrogatepass"))


def identity_of(tool: ToolCall, call: Classified, redact: Redact | None = None) -> Identity:
    """The identity of a call; raise ValueError when its arguments are not JSON.

    Digests are made of what is left when secrets are taken out: the digest of a text with a short password
    would give it away, and keyed fingerprints still tell one secret from another.
    """
    arguments = normalised(call.tool, tool.input, call.same_by)
    scope = scope_of(call, arguments)
    whole = _kept_digest(arguments, redact)
    aimed = whole if scope is arguments else _kept_digest(scope, redact)
    return Identity(namespace=call.namespace, tool=call.tool, arguments=whole, scope=aimed)


def _kept_digest(value: JsonObject, redact: Redact | None) -> str:
    written = canonical(value)
    return _digest(redact(written) if redact else written)


def _escaped(part: str) -> str:
    # A tool may be called anything; its name must not look like the end of one part.
    return part.replace("%", "%25").replace("|", "%7C")


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
