"""A passphrase that people set, asked for on the terminal before the gate is opened or changed."""

from __future__ import annotations

import getpass
import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Final

import msgspec

from interlock.config.guarding import PASSPHRASE
from interlock.errors import InterlockError
from interlock.safe_write import write_whole

_COST: Final = 2**15  # about a tenth of a second and 32 MiB a try
_MEMORY: Final = 64 * 1024 * 1024
_SHORTEST: Final = 8
_TRIES: Final = 3
_TERMINAL: Final = "/dev/tty"


class Kept(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is stored: never the passphrase itself."""

    salt: bytes
    digest: bytes
    cost: int = _COST


def has_terminal() -> bool:
    """Whether somebody can be asked."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def check_passphrase(state: Path) -> None:
    """Ask for the passphrase where one is set; raise InterlockError unless it is given."""
    file = state / PASSPHRASE
    if not os.path.lexists(file):
        return
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=Kept)
    except (OSError, msgspec.DecodeError) as error:
        raise InterlockError(f"the passphrase in `{file}` cannot be read; remove the file by hand") from error
    _need_terminal()
    for _ in range(_TRIES):
        if matches(kept, getpass.getpass("Interlock passphrase: ")):
            return
    raise InterlockError("this is not the passphrase; nothing has changed")


def set_passphrase(state: Path) -> None:
    """Ask for a new one twice and keep its hash, after the old one was given."""
    check_passphrase(state)
    _need_terminal()
    given = getpass.getpass(f"New Interlock passphrase, {_SHORTEST} characters or more: ")
    if len(given) < _SHORTEST:
        raise InterlockError(f"a passphrase has {_SHORTEST} characters or more; nothing has changed")
    if getpass.getpass("The same again: ") != given:
        raise InterlockError("the two are not the same; nothing has changed")
    write_whole(state / PASSPHRASE, msgspec.json.encode(kept_of(given)), mode=0o600)


def kept_of(given: str) -> Kept:
    """What is stored of a passphrase."""
    salt = secrets.token_bytes(16)
    return Kept(salt=salt, digest=_digest(given, salt, _COST))


def matches(kept: Kept, given: str) -> bool:
    """Whether this is the passphrase, in a time that tells nothing."""
    return hmac.compare_digest(kept.digest, _digest(given, kept.salt, kept.cost))


def _digest(given: str, salt: bytes, cost: int) -> bytes:
    data = given.encode("utf-8", "surrogateescape")
    return hashlib.scrypt(data, salt=salt, n=cost, r=8, p=1, maxmem=_MEMORY, dklen=32)


def _need_terminal() -> None:
    if not has_terminal():
        raise InterlockError("the passphrase is asked for on a terminal and there is none here; open one")
