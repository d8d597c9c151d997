"""Ships a machine's entries in order, each exactly once, starting after the last one the team ledger has.

Postgres stores that position in the same transaction as the entries. The shipper asks for it first and keeps
no copy that could be wrong, so after a kill at any point the next shipper continues at the right place.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.postgres import check_usable, postgres_errors, postgres_statements
from interlock.features.team_ledger.reader import GAP, column_text
from interlock.features.team_ledger.settings import TeamLedger
from interlock.files.own_files import read_private, write_whole
from interlock.ledger.ends import Base, read_base
from interlock.ledger.entry import GENESIS, Entry, Head, Payload, write_down
from interlock.store.clock import timestamp
from interlock.store.statements import statements

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres import Connection

MOST: Final = 500  # entries at a time,
SIZE: Final = 1 << 20  # or as many as hold this much
_TEXTS: Final = ("id", "op", "ts", "actor", "workspace", "session_id", "event", "tool", "decision")
_PLAIN: Final = msgspec.json.Encoder()


class Sent(NamedTuple):
    """One entry to ship; with `missing` it stands for entries that are gone."""

    entry: Entry
    missing: int = 0


class Batch(NamedTuple):
    """The next entries, and where the machine's own ledger ends."""

    sent: list[Sent]
    last: int  # the machine's last entry

    def parameters(self) -> dict[str, list[Any]]:
        """The statement's parameters, a list for each column."""
        entries = [sent.entry for sent in self.sent]
        texts = {name: [getattr(entry, name) for entry in entries] for name in _TEXTS}
        return {
            **{name: [text and column_text(text) for text in column] for name, column in texts.items()},
            "seq": [entry.seq for entry in entries],
            "record": [entry.payload for entry in entries],
            "hash": [entry.hash for entry in entries],
            "missing": [sent.missing for sent in self.sent],
        }


def next_batch(
    connection: sqlite3.Connection,
    at: Head,
    *,
    most: int = MOST,
    size: int = SIZE,
    clock: Callable[[], float] = time.time,
) -> Batch:
    """Return the entries after `at`; raise TeamLedgerError if this ledger no longer contains `at`."""
    connection.execute("BEGIN")  # one snapshot: retention may move the beginning between two queries
    try:
        base = read_base(connection)
        row = connection.execute(statements("ledger")["head"]).fetchone()
        head = Head(*row) if row else base.head
        _refuse_fork(connection, base, head, at)
        sent = []
        if at.seq < base.seq:
            sent.append(_gap_entry(base, at, timestamp(clock())))
        rows = connection.execute(statements("ledger")["after"], (max(at.seq, base.seq), most))
        sent += [Sent(entry) for entry in _take_fitting(rows, size)]
    finally:
        connection.execute("COMMIT")
    return Batch(sent, head.seq)


def _refuse_fork(connection: sqlite3.Connection, base: Base, head: Head, at: Head) -> None:
    """The team ledger's last entry of this machine must be in this ledger, unless retention removed it."""
    if at.seq < base.seq or at == GENESIS:
        return
    own_hash: bytes | None = base.hash if at.seq == base.seq else None
    if base.seq < at.seq <= head.seq:
        row = connection.execute(statements("ledger")["hash_at"], (at.seq,)).fetchone()
        own_hash = row[0] if row else None
    if own_hash != at.hash:
        raise TeamLedgerError(
            f"entry {at.seq} of this ledger differs from the team ledger's: it was restored from a backup "
            "or rewritten, or another machine ships it; run `interlock ledger verify`, then give it a "
            "new name with `machine`",
            lasting=True,
        )


def _take_fitting(rows: Iterable[tuple[Any, ...]], size: int) -> Iterable[Entry]:
    """Yield as many entries as fit, and at least one."""
    size_so_far = 0
    for row in rows:
        entry = Entry(*row)
        size_so_far += len(entry.payload)
        if size_so_far > size and size_so_far > len(entry.payload):
            return
        yield entry


def _gap_entry(base: Base, at: Head, now: str) -> Sent:
    """Stand for entries removed here before they were shipped; the next entry chains to its hash."""
    lost = base.seq - at.seq
    body = {
        "first": at.seq + 1,
        "last": base.seq,
        "lost": lost,
        "why": "removed on the machine by retention before they were shipped",
    }
    written = Payload(
        actor="system",
        body=msgspec.Raw(write_down(body)),
        id=f"gap_{base.ledger[:16]}_{base.seq}",
        op=GAP,
        seq=base.seq,
        ts=now,
        workspace="",
    )
    payload = _PLAIN.encode(written)
    columns = (written.seq, written.id, written.op, written.ts, written.actor, written.workspace)
    return Sent(Entry(*columns, None, None, None, None, payload, at.hash, base.hash), lost)


class ShippingPosition(NamedTuple):
    """How far a machine has shipped, and an entry that is known to be in the team ledger."""

    at: Head  # the machine's last entry there
    fleet: str  # the name of the team ledger
    end: Head  # an entry of the team ledger, its end at that time
    last: int = 0  # the machine's own last entry
    added: int = 0  # entries that were not there before

    @property
    def behind(self) -> int:
        """How many entries the team ledger does not have yet."""
        return max(self.last - self.at.seq, 0)


class Shipper:
    """Ships one machine's ledger over one connection; several shippers at once do no harm."""

    def __init__(
        self,
        local: sqlite3.Connection,
        remote: Connection,
        machine: str,
        *,
        most: int = MOST,
        size: int = SIZE,
    ) -> None:
        self._local: Final = local
        self._remote: Final = remote
        self._most: Final = most
        self._size: Final = size
        self._sql: Final = postgres_statements()
        self.ledger: Final = read_base(local).ledger
        self._who: Final = {"machine": machine, "ledger": self.ledger}

    def position(self) -> ShippingPosition:
        """Ask the team ledger for the position; each later step returns the next one."""
        check_usable(self._remote)
        with postgres_errors():
            fleet, seq, hashed = self._remote.execute(self._sql["head"]).fetchall()[0]
            row = self._remote.execute(self._sql["standing"], self._who).fetchone()
        at = Head(row[0], row[1]) if row else GENESIS
        return ShippingPosition(at, fleet, Head(seq, hashed))

    def step(self, position: ShippingPosition) -> ShippingPosition:
        """Ship the next batch in one statement, which is one transaction."""
        batch = next_batch(self._local, position.at, most=self._most, size=self._size)
        if not batch.sent:
            return position._replace(last=batch.last, added=0)
        parameters = {**self._who, **batch.parameters()}
        with postgres_errors():
            row = self._remote.execute(self._sql["ship"], parameters, binary=True).fetchone()
        if row is None:
            raise AssertionError("the statement always gives a row")
        seq, hashed, fleet_seq, fleet_hash, added = row
        return ShippingPosition(
            Head(seq, hashed), position.fleet, Head(fleet_seq, fleet_hash), batch.last, added
        )


# What the daemon and its shipping process exchange: JSON lines, and a file with the last confirmed entry.
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


def write_cursor(state: Path, cursor: Cursor) -> None:
    write_whole(state / FILE, msgspec.json.encode(cursor) + b"\n", mode=0o600)


def shipped_up_to(state: Path, fleet: TeamLedger, ledger: str) -> int:
    """Return the last confirmed entry; 0 if the file is about another team ledger, machine or ledger."""
    cursor = read_cursor(state)
    if cursor is None or (cursor.url, cursor.machine, cursor.ledger) != (fleet.url, fleet.machine, ledger):
        return 0
    return cursor.seq
