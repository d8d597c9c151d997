"""What stands where a secret was: its kind, and a keyed fingerprint by which equal secrets are recognised."""

from __future__ import annotations

import hmac
import re
from typing import Final

# Without a key there is no fingerprint; the mark then tells the kind alone.
MARK: Final = re.compile(rb"\[secret:[a-z0-9_]{1,32}(?::[0-9a-f]{16})?\]")
_DIGITS: Final = 16
_ESCAPED: Final = re.compile(rb"\\+(?:u00([0-9a-fA-F]{2})|([/\"'\\]))")


def mark_of(kind: str, secret: bytes, key: bytes | None) -> bytes:
    """The text that replaces a secret."""
    if key is None:
        return f"[secret:{kind}]".encode()
    return f"[secret:{kind}:{fingerprint(secret, key)}]".encode()


def fingerprint(secret: bytes, key: bytes) -> str:
    """The same for the same secret under one key, however a JSON text around it has escaped it."""
    plain = _ESCAPED.sub(_unescaped, secret) if b"\\" in secret else secret
    return hmac.digest(key, plain, "sha256").hex()[:_DIGITS]


def _unescaped(found: re.Match[bytes]) -> bytes:
    digits, plain = found.groups()
    return bytes((int(digits, 16),)) if digits else bytes(plain)


def marks_in(text: bytes) -> list[tuple[int, int]]:
    """Where marks stand already: they are never touched, so that redacting twice changes nothing."""
    return [found.span() for found in MARK.finditer(text)] if b"[secret:" in text else []
