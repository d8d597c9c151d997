"""Checks the team ledger in one pass: its own chain, and inside it the chain of every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import msgspec

from interlock.features.team_ledger.postgres import check_usable, postgres_errors, postgres_statements
from interlock.features.team_ledger.reader import (
    GAP,
    TeamEntry,
    TeamRecord,
    column_text,
    decode_record,
)
from interlock.features.team_ledger.shipper import Cursor
from interlock.ledger.ends import checkpoint_in, signature_fault
from interlock.ledger.entry import GENESIS, Head, StoredRecord, text_or_none
from interlock.ledger.verify import Break

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres import Connection

_DECODER: Final = msgspec.json.Decoder(StoredRecord)
_BATCH: Final = 500
Chain = tuple[str, str]  # a machine and its ledger


class TeamVerification(msgspec.Struct, frozen=True, kw_only=True):
    """The result: how far the chains are intact, and what was compared with copies kept elsewhere."""

    entries: int
    fleet: str
    head: Head
    machines: dict[str, int]  # intact entries by machine
    missing: int = 0  # lost entries of machines, known only by their number
    checkpoints: int = 0  # signed on machines, and correct
    witnessed: int = 0  # the last entry this machine remembers, found unchanged; 0: it remembers none
    broken: Break | None = None


class TeamWalk:
    """Follows the team ledger's chain, and each machine's chain inside it."""

    def __init__(self) -> None:
        self.head = GENESIS
        self.entries = 0
        self.missing = 0
        self.chains: Final[dict[Chain, Head]] = {}
        self.counts: Final[dict[str, int]] = {}
        self.signed: Final[list[tuple[TeamEntry, bytes]]] = []  # checkpoints the machines made

    def take(self, rows: Iterable[tuple[Any, ...]]) -> Break | None:
        """Check the next rows; return the first fault."""
        for row in rows:
            entry = TeamEntry(*row)
            what = self._fault(entry)
            if what is not None:
                return Break(seq=entry.seq, what=what)
        return None

    def _fault(self, entry: TeamEntry) -> str | None:
        if entry.seq != self.head.seq + 1:
            return f"gap: {self.head.seq + 1} to {entry.seq - 1} missing before it"
        if entry.prev_hash != self.head.hash:
            return "prev: it does not follow the entry before it"
        if sha256(entry.prev_hash + entry.payload).digest() != entry.hash:
            return "hash: payload or hash was changed"
        try:
            record = decode_record(entry.payload)
            own_record = _DECODER.decode(record.record)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return "payload: it is not a record"
        if (column := _find_difference(entry, record, own_record)) is not None:
            return f"column: {column} differs from the payload"
        return self._machine_fault(entry, bytes(record.record), own_record)

    def _machine_fault(self, entry: TeamEntry, record: bytes, own_record: StoredRecord) -> str | None:
        """Return what is wrong with the machine's own chain; if nothing is, advance."""
        chain = (entry.machine, entry.machine_ledger)
        at = self.chains.get(chain, GENESIS)
        if entry.machine_seq != at.seq + max(entry.missing, 1):
            return f"machine: entry {entry.machine_seq} of {entry.machine} does not follow {at.seq} there"
        if entry.missing and own_record.op != GAP:
            return "machine: it claims to stand for others and is not a gap"
        if not entry.missing and sha256(at.hash + record).digest() != entry.machine_hash:
            return f"machine: entry {entry.machine_seq} of {entry.machine} is not in its own chain"
        self.chains[chain] = Head(entry.machine_seq, entry.machine_hash)
        self.counts[entry.machine] = self.counts.get(entry.machine, 0) + 1
        self.head = Head(entry.seq, entry.hash)
        self.entries += 1
        self.missing += entry.missing
        if entry.op == "checkpoint":
            self.signed.append((entry, record))
        return None


# Those that the payload says again; the other three are the payload and the hashes.
_COLUMNS: Final = (*TeamEntry._fields[:10], *TeamEntry._fields[13:])


def _find_difference(entry: TeamEntry, record: TeamRecord, own_record: StoredRecord) -> str | None:
    """The first column that differs from the payload, whose zero characters were replaced."""
    if own_record.seq != record.machine_seq:
        return "machine_seq"
    body = own_record.body
    optional = map(text_or_none, (body.session_id, body.event, body.tool, body.decision))
    texts = (own_record.id, own_record.op, own_record.ts, own_record.actor, own_record.workspace, *optional)
    expected = (
        record.seq,
        *(text and column_text(text) for text in texts),
        record.machine,
        record.ledger,
        record.machine_seq,
        bytes.fromhex(record.machine_hash),
        record.missing,
        record.received,
    )
    pairs = zip(_COLUMNS, (*entry[:10], *entry[13:]), expected, strict=True)
    return next((name for name, actual, value in pairs if actual != value), None)


def verify_team_ledger(
    connection: Connection, note: Cursor | None = None, progress: Callable[[int], object] | None = None
) -> TeamVerification:
    """Read every entry once, in one snapshot; `note` is what this machine remembers of the team ledger."""
    check_usable(connection)
    sql = postgres_statements()
    walk = TeamWalk()
    with postgres_errors(), connection.transaction():
        connection.execute(sql["as_one_moment"])
        with connection.cursor(name="verify", binary=True) as cursor:
            cursor.execute(sql["all"])
            broken = None
            while broken is None and (rows := cursor.fetchmany(_BATCH)):
                broken = walk.take(rows)
                if progress is not None:
                    progress(walk.entries)
        fleet, seq, hashed = connection.execute(sql["head"], binary=True).fetchall()[0]
        faults = [broken or _end_fault(walk, Head(seq, hashed), connection)]
        faults += [_signed_fault(entry, record, connection) for entry, record in walk.signed]
        if note is not None:
            faults.append(_note_fault(note, fleet, connection, whole=broken is None, end=walk.head.seq))
    first = min((fault for fault in faults if fault), key=lambda fault: fault.seq, default=None)
    return TeamVerification(
        entries=walk.entries,
        fleet=fleet,
        head=walk.head,
        machines=walk.counts,
        missing=walk.missing,
        checkpoints=len(walk.signed),
        witnessed=note.fleet_seq if note is not None and first is None else 0,
        broken=first,
    )


def _end_fault(walk: TeamWalk, head: Head, connection: Connection) -> Break | None:
    """Compare the recorded ends of the chains with the entries: a difference means that ends were cut off."""
    last = walk.head.seq
    if head != walk.head:
        what = f"end: the ledger's own end is entry {head.seq}, and entry {last} is the last one there"
        return Break(seq=last + 1, what=what)
    rows = connection.execute(postgres_statements()["machines"], binary=True).fetchall()
    recorded_ends = {(row[0], row[1]): Head(row[2], row[3]) for row in rows}
    for chain in sorted(recorded_ends.keys() | walk.chains.keys()):
        if recorded_ends.get(chain) != walk.chains.get(chain):
            what = f"end: the recorded end of {chain[0]} is not where its entries end"
            return Break(seq=last + 1, what=what)
    return None


def _signed_fault(entry: TeamEntry, record: bytes, connection: Connection) -> Break | None:
    """A machine's signed checkpoint must match its entries here."""
    checkpoint = checkpoint_in(record)
    if checkpoint is None:
        return Break(seq=entry.seq, what="checkpoint: the entry holds none")
    if what := signature_fault(checkpoint.document):
        return Break(seq=entry.seq, what=f"checkpoint: {what}")
    if checkpoint.ledger != entry.machine_ledger:
        return Break(seq=entry.seq, what="checkpoint: it belongs to another ledger")
    who = {"machine": entry.machine, "ledger": entry.machine_ledger, "seq": checkpoint.seq}
    row = connection.execute(postgres_statements()["machine_hash"], who, binary=True).fetchone()
    if row is not None and row[0] != checkpoint.head.hash:
        what = f"checkpoint: entry {checkpoint.seq} of {entry.machine} was different when it was signed"
        return Break(seq=entry.seq, what=what)
    return None


def _note_fault(note: Cursor, fleet: str, connection: Connection, *, whole: bool, end: int) -> Break | None:
    """What this machine remembers must still be true."""
    if note.fleet != fleet:
        return Break(
            seq=1,
            what=f"witness: this machine shipped to the team ledger {note.fleet}, and this is another one",
        )
    row = connection.execute(postgres_statements()["at"], {"seq": note.fleet_seq}, binary=True).fetchone()
    if row is None:
        what = f"end: entry {note.fleet_seq} existed at {note.ts}, as this machine recorded"
        return Break(seq=end + 1, what=what) if whole else None
    if row[12].hex() != note.fleet_hash:
        what = f"witness: the entry was different at {note.ts}, as this machine recorded; it was rewritten"
        return Break(seq=note.fleet_seq, what=what)
    return None
