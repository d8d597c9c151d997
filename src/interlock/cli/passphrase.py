"""A passphrase that people set, asked for on the terminal before the gate is opened or changed."""

from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.files.own_files import write_whole
from interlock.files.passphrase import FILE as PASSPHRASE
from interlock.files.passphrase import kept_of, matches, passphrase_file, read_kept

_SHORTEST: Final = 8
_TRIES: Final = 3
_TERMINAL: Final = "/dev/tty"


def has_terminal() -> bool:
    """Whether somebody can be asked."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def has_passphrase(state: Path) -> bool:
    """Whether one is set; what cannot be read counts as set."""
    return os.path.lexists(state / PASSPHRASE)


def check_passphrase(state: Path, person: str | None = None) -> str | None:
    """Ask for the passphrase where one is set, and give it; raise InterlockError unless it is the one."""
    kept = read_kept(passphrase_file(state, person))
    if kept is None:
        return None
    _need_terminal()
    for _ in range(_TRIES):
        given = getpass.getpass(f"{f'Passphrase of {person}' if person else 'Interlock passphrase'}: ")
        if matches(kept, given):
            return given
    raise InterlockError("this is not your passphrase; nothing has changed")


def set_passphrase(state: Path, person: str | None = None) -> None:
    """Ask twice for a new one and keep its hash, after the old one was given; one person's or the shared."""
    file = passphrase_file(state, person)
    check_passphrase(state, person)
    _need_terminal()
    given = getpass.getpass(f"New passphrase for {person or 'Interlock'}, at least {_SHORTEST} characters: ")
    if len(given) < _SHORTEST:
        raise InterlockError(f"a passphrase has at least {_SHORTEST} characters; nothing has changed")
    if getpass.getpass("The same again: ") != given:
        raise InterlockError("the two passphrases differ; nothing has changed")
    write_whole(file, msgspec.json.encode(kept_of(given)), mode=0o600)


def _need_terminal() -> None:
    if not has_terminal():
        raise InterlockError(
            "the passphrase must be typed in a terminal, and this is not one; open a terminal"
        )
