"""The hash of a passphrase, and checking a text against it; the passphrase itself is never stored."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import math
import os
import secrets
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import ApprovalError, InterlockError

FILE: Final = "passphrase"  # holds its hash
_COST: Final = 2**15  # about a tenth of a second and 32 MiB a try
_MEMORY: Final = 64 * 1024 * 1024
WAIT_AFTER_A_MISS: Final = 2.0  # seconds in which no other try is looked at


class StoredPassphrase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the file holds."""

    salt: bytes
    digest: bytes
    cost: int = _COST


def passphrase_file(state: Path, person: str | None) -> Path:
    """Where the hash of a person's own passphrase is, or of the one that all share."""
    return state / (f"{FILE}-{person.removeprefix('human:')}" if person else FILE)


def read_stored(file: Path) -> StoredPassphrase | None:
    """What is stored; None if no passphrase is set."""
    if not os.path.lexists(file):
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=StoredPassphrase)
    except (OSError, msgspec.DecodeError) as error:
        raise InterlockError(
            f"the passphrase in `{file}` cannot be read; remove the file yourself"
        ) from error


def hash_passphrase(given: str) -> StoredPassphrase:
    salt = secrets.token_bytes(16)
    return StoredPassphrase(salt=salt, digest=_digest(given, salt, _COST))


def matches(stored: StoredPassphrase, given: str) -> bool:
    """Whether this is the passphrase; the time it takes reveals nothing."""
    return hmac.compare_digest(stored.digest, _digest(given, stored.salt, stored.cost))


def _digest(given: str, salt: bytes, cost: int) -> bytes:
    data = given.encode("utf-8", "surrogateescape")
    return hashlib.scrypt(data, salt=salt, n=cost, r=8, p=1, maxmem=_MEMORY, dklen=32)


class PassphraseGate:
    """Lets a yes through only with the passphrase, where one is set; a process that guesses has to wait."""

    def __init__(self, file: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._file: Final = file
        self._clock: Final = clock
        self._missed = -math.inf

    @property
    def is_set(self) -> bool:
        """Whether there is one; what cannot be read counts as one."""
        return os.path.lexists(self._file)

    def check(self, given: object) -> None:
        """Raise ApprovalError unless none is set or this is it."""
        stored = read_stored(self._file)
        if stored is not None:
            self._begin(given)
            self._end(matched=matches(stored, str(given)))

    async def prove(self, given: object) -> None:
        """Raise ApprovalError unless one is set and this is it; others are answered meanwhile."""
        stored = read_stored(self._file)
        if stored is None:
            raise ApprovalError("no passphrase is set, so nothing proves who you are; see docs/approvals.md")
        self._begin(given)
        self._end(matched=await asyncio.to_thread(matches, stored, str(given)))

    def _begin(self, given: object) -> None:
        if not isinstance(given, str):
            raise ApprovalError("a passphrase is set; run `interlock approvals approve` in a terminal")
        if self._clock() - self._missed < WAIT_AFTER_A_MISS:
            raise ApprovalError("the last passphrase was wrong; wait a moment and try again")
        self._missed = self._clock()  # several at a time get no more tries than one after the other

    def _end(self, *, matched: bool) -> None:
        if not matched:
            self._missed = self._clock()
            raise ApprovalError("this is not your passphrase; nothing has changed")
        self._missed = -math.inf
