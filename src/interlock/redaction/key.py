"""The key of the fingerprints: a file of its own in the state folder that only its user can read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from interlock.errors import StoreError
from interlock.files.own_files import read_private, write_whole

FILE: Final = "redaction.key"
_BYTES: Final = 32


def redaction_key(state: Path) -> bytes:
    """Read the key, or make one; two fingerprints are alike for equal secrets only under the same key."""
    path = state / FILE
    try:
        return _read(path)
    except FileNotFoundError:
        key = os.urandom(_BYTES)
        write_whole(path, key.hex().encode() + b"\n", mode=0o600)
        return key
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StoreError(f"cannot read `{path}`: {reason}; delete it and a new key is made") from error


def _read(path: Path) -> bytes:
    text = read_private(path, 4 * _BYTES).strip()
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise StoreError(f"`{path}` holds no key; delete it and a new one is made")
    return key
