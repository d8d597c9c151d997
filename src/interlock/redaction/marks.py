"""The key of the fingerprints: a file of its own in the state folder that only its user can read."""

from __future__ import annotations

import hmac
import os
import re
from pathlib import Path
from typing import Final

from interlock.errors import StoreError
from interlock.files.own_files import read_private, write_whole

KEY_FILE: Final = "redaction.key"
_BYTES: Final = 32


def redaction_key(state: Path) -> bytes:
    """Read the key, or make one; two fingerprints are alike for equal secrets only under the same key."""
    path = state / KEY_FILE
    try:
        return _read_key(path)
    except FileNotFoundError:
        key = os.urandom(_BYTES)
        write_whole(path, key.hex().encode() + b"\n", mode=0o600)
        return key
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot read `{path}`: {reason}; delete it and a new key is made") from error


def _read_key(path: Path) -> bytes:
    text = read_private(path, 4 * _BYTES).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise StoreError(f"`{path}` contains no key; delete it and a new one is made")
    return key


# Without a key the mark has no fingerprint, only the kind.
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
    plain = _ESCAPED.sub(_unescape, secret) if b"\\" in secret else secret
    return hmac.digest(key, plain, "sha256").hex()[:_DIGITS]


def _unescape(found: re.Match[bytes]) -> bytes:
    digits, plain = found.groups()
    return bytes((int(digits, 16),)) if digits else bytes(plain)


def marks_in(text: bytes) -> list[tuple[int, int]]:
    """Where marks stand already: they are never touched, so that redacting twice changes nothing."""
    return [found.span() for found in MARK.finditer(text)] if b"[secret:" in text else []
