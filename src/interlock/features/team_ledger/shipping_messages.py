"""What the daemon and its shipping process exchange: JSON lines, and a file with the last confirmed entry."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from interlock.features.team_ledger.settings import TeamLedger
from interlock.files.own_files import read_private, write_whole

State = Literal["connecting", "shipping", "waiting", "trouble", "stopped"]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to ship, and where: the first line the process reads."""

    database: str
    state: str
    fleet: TeamLedger


class ShippingStatus(msgspec.Struct, frozen=True, kw_only=True):
    state: State = "connecting"  # `trouble` is retried soon, `stopped` needs a person
    shipped: int = 0  # this machine's last entry that the team ledger has confirmed
    fleet_seq: int = 0
    fleet: str = ""
    error: str | None = None
    since: str | None = None  # when the trouble began
    last: str | None = None  # when entries last arrived
    alarm: str | None = None  # recorded once


FILE: Final = "fleet-ledger.json"
_LONGEST: Final = 65_536


class Cursor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last entry that the team ledger confirmed. This copy may be older than the truth, never newer.

    Retention keeps what comes after it, and `verify` checks the team ledger against it.
    """

    url: str
    machine: str
    ledger: str  # this machine's
    seq: int
    hash: str
    fleet: str  # the name of the team ledger
    fleet_seq: int  # an entry of the team ledger
    fleet_hash: str
    ts: str


def read_cursor(state: Path) -> Cursor | None:
    """Return the stored cursor, or None if there is none or it cannot be read."""
    try:
        return msgspec.json.decode(read_private(state / FILE, _LONGEST), type=Cursor)
    except (OSError, msgspec.DecodeError, UnicodeError):
        return None


def write_cursor(state: Path, note: Cursor) -> None:
    write_whole(state / FILE, msgspec.json.encode(note) + b"\n", mode=0o600)


def shipped_up_to(state: Path, fleet: TeamLedger, ledger: str) -> int:
    """Return the last confirmed entry; 0 if the file is about another team ledger, machine or ledger."""
    note = read_cursor(state)
    if note is None or (note.url, note.machine, note.ledger) != (fleet.url, fleet.machine, ledger):
        return 0
    return note.seq
