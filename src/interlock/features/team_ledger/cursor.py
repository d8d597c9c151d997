"""What this machine remembers of the team ledger: how far it has shipped, and where that stands there."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from interlock.features.team_ledger.settings import TeamLedger
from interlock.files.own_files import read_private, write_whole

FILE: Final = "fleet-ledger.json"
_LONGEST: Final = 65_536


class Cursor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place the team ledger has confirmed; the truth is there, and this may only be older.

    For retention it says what may go, and for verifying it is a witness of how the team ledger went on.
    """

    url: str
    machine: str
    ledger: str  # this machine's
    seq: int
    hash: str
    fleet: str  # the name of the team ledger
    fleet_seq: int  # an entry of the team ledger,
    fleet_hash: str  # and its hash
    ts: str


def read_cursor(state: Path) -> Cursor | None:
    """What was kept, or None when there is nothing that can be used."""
    try:
        return msgspec.json.decode(read_private(state / FILE, _LONGEST), type=Cursor)
    except (OSError, msgspec.DecodeError, UnicodeError):
        return None


def write_cursor(state: Path, note: Cursor) -> None:
    """Keep it."""
    write_whole(state / FILE, msgspec.json.encode(note) + b"\n", mode=0o600)


def shipped_up_to(state: Path, fleet: TeamLedger, ledger: str) -> int:
    """The last entry it is known to have; 0 when another team ledger, name or ledger is mentioned."""
    note = read_cursor(state)
    if note is None or (note.url, note.machine, note.ledger) != (fleet.url, fleet.machine, ledger):
        return 0
    return note.seq
