"""Checking a chain in one pass: the first entry that is not as it was written, or not what was signed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.ends import Base, Checkpoint, Removal, entry_at, read_base, removal_in, signature_fault
from interlock.ledger.entry import (
    COLUMNS,
    GENESIS,
    Blocks,
    Entry,
    Head,
    Row,
    StoredRecord,
    link,
    marks_of,
    text_or_none,
)
from interlock.ledger.reader import snapshot
from interlock.store.errors import explain, explain_errors
from interlock.store.statements import statements


class Break(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where the chain does not hold."""

    seq: int
    what: str


class Chain(NamedTuple):
    """A chain that was read: its name, both ends, and what was signed inside it."""

    base: Base
    head: Head
    hash_of: Callable[[int], bytes | None]  # of an entry that is there
    signed: Sequence[tuple[int, bytes]] = ()  # place and payload of its `checkpoint` entries
    whole: bool = True  # the head is its end, and not the place where it broke


class _CheckpointRecord(msgspec.Struct, frozen=True):
    body: Checkpoint


_CHECKPOINT: Final = msgspec.json.Decoder(_CheckpointRecord)


def checkpoint_in(payload: bytes) -> Checkpoint | None:
    """What the payload of a `checkpoint` entry says, or None when it says no such thing."""
    try:
        return _CHECKPOINT.decode(payload).body
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def first_fault(
    chain: Chain, payload_of_removal: bytes | None, outside: Iterable[Checkpoint], keys: Collection[str]
) -> Break | None:
    """The first place that contradicts something signed."""
    faults = [base_fault(chain, payload_of_removal, keys), *_own_faults(chain, keys)]
    faults += [checkpoint_fault(chain, checkpoint, keys) for checkpoint in outside]
    return min((fault for fault in faults if fault), key=lambda fault: fault.seq, default=None)


def base_fault(chain: Chain, payload: bytes | None, keys: Collection[str]) -> Break | None:
    """What is wrong with the beginning; `payload` is the entry that should explain it."""
    base = chain.base
    if base.head == GENESIS:
        return None
    removal = removal_in(payload) if payload is not None else None
    if removal is None:
        return Break(seq=base.seq + 1, what="base: no `retention` entry says why there is nothing before it")
    what = signature_fault(removal.document, keys) or _contradiction(chain, removal)
    return Break(seq=base.seq + 1, what=f"base: {what}") if what else None


def _contradiction(chain: Chain, removal: Removal) -> str | None:
    base = chain.base
    if removal.ledger != base.ledger or (base.signature or removal.signature) != removal.signature:
        return "the `retention` entry is not the one that was signed for it"
    if not removal.first <= base.seq <= removal.last:
        return (
            f"the `retention` entry removed {removal.first} to {removal.last}, and the chain starts elsewhere"
        )
    # While the removal is under way the rest of it still stands, and must lead to what was signed.
    found = base.hash if base.seq == removal.last else chain.hash_of(removal.last)
    if found is None or found.hex() != removal.hash:
        return "it does not follow the entry that was signed as the last one removed"
    return None


def _own_faults(chain: Chain, keys: Collection[str]) -> Iterable[Break | None]:
    for seq, payload in chain.signed:
        checkpoint = checkpoint_in(payload)
        if checkpoint is None:
            yield Break(seq=seq, what="checkpoint: the entry holds none")
        elif what := signature_fault(checkpoint.document, keys):
            yield Break(seq=seq, what=f"checkpoint: {what}")
        else:
            yield checkpoint_fault(chain, checkpoint, keys)


def checkpoint_fault(chain: Chain, checkpoint: Checkpoint, keys: Collection[str]) -> Break | None:
    """What a checkpoint contradicts, if anything."""
    seq = checkpoint.seq
    if what := signature_fault(checkpoint.document, keys):
        return Break(seq=seq, what=f"checkpoint of {checkpoint.ts}: {what}")
    if checkpoint.ledger != chain.base.ledger:
        return Break(seq=seq, what=f"checkpoint of {checkpoint.ts}: it belongs to another ledger")
    if seq > chain.head.seq and chain.whole:
        missing = f"{chain.head.seq + 1} to {seq}" if seq > chain.head.seq + 1 else f"{seq}"
        what = f"end: {missing} missing, which the checkpoint of {checkpoint.ts} lists"
        return Break(seq=chain.head.seq + 1, what=what)
    found = chain.base.hash if seq == chain.base.seq else chain.hash_of(seq)
    if found is not None and found != checkpoint.head.hash:
        what = f"checkpoint of {checkpoint.ts}: entry {seq} was different; it or one before it was rewritten"
        return Break(seq=seq, what=what)
    return None


_RECORD: Final = msgspec.json.Decoder(StoredRecord)
_COPIES: Final = COLUMNS[: COLUMNS.index("payload")]
NOWHERE: Final = Base("")


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """How far the chain holds, from its base on, and its end there: compare that with one kept elsewhere."""

    entries: int
    base: Base
    head: Head
    broken: Break | None = None


def verify(
    connection: sqlite3.Connection,
    progress: Callable[[int], object] | None = None,
    *,
    checkpoints: Sequence[Checkpoint] = (),
    keys: Collection[str] = (),
) -> Verification:
    """Read every entry once; each must follow the one before it, its columns saying what its payload says.

    What was signed must hold too: where the chain begins, the checkpoints in it, and those given.
    """
    walk = Walk()
    try:
        with snapshot(connection) as batches:
            walk = Walk(read_base(connection))
            broken = _walk(walk, batches, connection, progress)
            signed = _signed_fault(walk, connection, checkpoints, keys, whole=broken is None)
    except sqlite3.DatabaseError as error:
        broken = signed = Break(seq=walk.head.seq + 1, what=f"it cannot be read: {explain(error)}")
    except LedgerError as error:
        broken = signed = Break(seq=1, what=f"base: {error}")
    return walk.result(broken, signed)


class Walk:
    """The way along a chain: how many entries held, and where it has come to."""

    def __init__(self, base: Base = NOWHERE) -> None:
        self.base: Final = base
        self.head = base.head
        self.entries = 0

    def take(self, rows: Iterable[Row]) -> Break | None:
        """Go on over some rows; stop at the first that is not what should follow."""
        head, entries = self.head, self.entries
        try:
            for row in rows:
                what = _fault(row, head)
                if what is not None:
                    return Break(seq=row[0], what=what)
                head = Head(row[0], row[12])
                entries += 1
        finally:
            self.head, self.entries = head, entries
        return None

    def result(self, *faults: Break | None) -> Verification:
        """What was found; of several faults the first place counts."""
        broken = min((fault for fault in faults if fault), key=lambda fault: fault.seq, default=None)
        return Verification(entries=self.entries, base=self.base, head=self.head, broken=broken)


def _walk(
    walk: Walk,
    batches: Iterable[list[Row]],
    connection: sqlite3.Connection,
    progress: Callable[[int], object] | None,
) -> Break | None:
    blocks = Blocks()
    for rows in batches:
        if (place := walk.take(rows) or _find_hidden(rows, blocks, connection)) is not None:
            return place
        if progress is not None:
            progress(walk.entries)
    return None


def _signed_fault(
    walk: Walk,
    connection: sqlite3.Connection,
    checkpoints: Sequence[Checkpoint],
    keys: Collection[str],
    *,
    whole: bool,
) -> Break | None:
    sql = statements("ledger")["hash_at"]

    def hash_of(seq: int) -> bytes | None:
        found = connection.execute(sql, (seq,)).fetchone()
        return found[0] if found else None

    said = entry_at(connection, walk.base.entry) if walk.base.entry is not None else None
    signed = connection.execute(statements("proof")["checkpoints"]).fetchall()
    chain = Chain(walk.base, walk.head, hash_of, signed, whole)
    return first_fault(chain, said.payload if said and said.op == "retention" else None, checkpoints, keys)


def _fault(row: Row, head: Head) -> str | None:
    """What is wrong with a row that should follow the head; the hot loop of verifying."""
    payload, prev_hash, hashed = row[10], row[11], row[12]
    if row[0] != head.seq + 1:
        missing = f"{head.seq + 1}" if row[0] == head.seq + 2 else f"{head.seq + 1} to {row[0] - 1}"
        return f"gap: {missing} missing before it"
    if prev_hash != head.hash:
        return "prev: it does not follow the entry before it"
    if sha256(prev_hash + payload).digest() != hashed:
        return "hash: payload or hash was changed"
    try:
        recorded = _RECORD.decode(payload)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return "payload: it is not a record"
    body = recorded.body
    if (
        row[0] == recorded.seq
        and row[1] == recorded.id
        and row[2] == recorded.op
        and row[3] == recorded.ts
        and row[4] == recorded.actor
        and row[5] == recorded.workspace
        and row[6] == text_or_none(body.session_id)
        and row[7] == text_or_none(body.event)
        and row[8] == text_or_none(body.tool)
        and row[9] == text_or_none(body.decision)
    ):
        return None
    return f"column: {_differing(row, recorded)} differs from the payload"


def _find_hidden(rows: list[Row], blocks: Blocks, connection: sqlite3.Connection) -> Break | None:
    """The first entry that stands in its place and is passed over by a list of its actor or session."""
    has_block = statements("ledger")["has_block"]
    for mark in blocks.new(rows):
        if connection.execute(has_block, mark).fetchone() is None:
            seq = next(row[0] for row in rows if mark in marks_of(row))
            return Break(seq=seq, what=f"block: it cannot be found by its {mark[0]}")
    return None


def _differing(row: Row, recorded: StoredRecord) -> str:
    for name, value in zip(_COPIES, row, strict=False):
        source = recorded if name in StoredRecord.__struct_fields__ else recorded.body
        said = getattr(source, name)
        if value != (said if source is recorded else text_or_none(said)):
            return name
    return "a column"


_SELF_SIGNED: Final = (
    "self-signed: the signing key is stored beside the ledger, so whoever can rewrite one can sign the "
    "other; name the public key you keep elsewhere with --key"
)
_SELECTION: Final = (
    "This is a selection: each line is as it was recorded, but it cannot show whether other matching "
    "entries were left out."
)


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A verification, what it was compared with, and what of it is unknown."""

    found: Verification
    checkpoints: Mapping[str, Checkpoint] = {}  # by the file they came from
    keys: Sequence[str] = ()  # the ones that were asked for
    selection: bool = False

    @property
    def code(self) -> int:
        """The exit code."""
        return 1 if self.found.broken else 0

    @property
    def proved(self) -> int:
        """Up to which entry something kept elsewhere vouches."""
        return max((one.seq for one in self.checkpoints.values()), default=0)

    @property
    def unknown(self) -> list[str]:
        """What no reading of this alone can tell."""
        if self.selection:
            return [_SELECTION]
        signed = self.checkpoints or self.found.base.seq
        return [*self._end_unknown(), *([_SELF_SIGNED] if signed and not self.keys else [])]

    def _end_unknown(self) -> Iterator[str]:
        head = self.found.head.seq
        if not self.checkpoints:
            yield (
                "The chain is complete from the first entry to the last one here. Only a checkpoint kept "
                "elsewhere can show whether entries after it were removed or the whole chain was "
                "rewritten; make one with `interlock ledger checkpoint --out FILE`."
            )
        elif self.proved < head:
            yield (
                f"Up to entry {self.proved} the chain is the one that was signed. Nothing shows whether "
                f"entries after {head} were removed: make checkpoints often, and keep them elsewhere."
            )

    def document(self) -> dict[str, object]:
        """For scripts."""
        found = self.found
        broken = {"seq": found.broken.seq, "what": found.broken.what} if found.broken else None
        return {
            "verified": found.broken is None,
            "entries": found.entries,
            "base": {"seq": found.base.seq, "hash": found.base.hash.hex()},
            "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
            "broken": broken,
            "checkpoints": [
                {"file": file, "seq": one.seq, "ts": one.ts, "key": one.key}
                for file, one in self.checkpoints.items()
            ],
            "proved_to": self.proved,
            "end_known": broken is None and not self.selection and self.proved == found.head.seq > 0,
            "self_signed": not self.keys,
            "selection": self.selection,
            "unknown": self.unknown,
        }

    def lines(self) -> list[str]:
        """For people."""
        found = self.found
        if found.broken:
            return [f"broken at {found.broken.seq}: {found.broken.what}"]
        removed = f"; 1 to {found.base.seq} were removed by retention" if found.base.seq else ""
        if self.selection:
            return [f"verified: {found.entries} entries, each on its own"]
        return [
            f"verified: {found.entries} entries{removed}",
            f"head: {found.head.seq} {found.head.hash.hex()}",
            *(self._checkpoint_line(file, one) for file, one in self.checkpoints.items()),
        ]

    def _checkpoint_line(self, file: str, one: Checkpoint) -> str:
        if one.seq < self.found.base.seq:
            return f"checkpoint {file}: from {one.ts}, about entries that were removed since"
        after = self.found.head.seq - one.seq
        return f"checkpoint {file}: entry {one.seq} of {one.ts} is correct; {after} came after it"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The ends of the chain around an entry, and the last checkpoint that was made of it."""

    first: int
    last: int
    holds: bool  # whether its hash is that of its own payload and what stands before it
    checkpoint: Checkpoint | None = None

    def words(self, entry: Entry) -> dict[str, str]:
        """For people; only `ledger verify` looks at the rest of the chain."""
        if self.checkpoint is None:
            signed = "no checkpoint was made yet"
        elif self.checkpoint.seq < entry.seq:
            signed = f"after the last checkpoint (entry {self.checkpoint.seq}, {self.checkpoint.ts})"
        else:
            signed = f"covered by the checkpoint of {self.checkpoint.ts} (entry {self.checkpoint.seq})"
        intact = "the stored content still gives this hash"
        if not self.holds:
            intact = "NO: the stored content gives another hash"
        return {"intact": intact, "chain": f"{self.first} to {self.last}", "signed": signed}


def standing_of(connection: sqlite3.Connection, entry: Entry) -> Standing:
    """Look around an entry."""
    with explain_errors("cannot read the ledger", LedgerError):
        last = connection.execute(statements("ledger")["head"]).fetchone()[0]
        found = connection.execute(statements("proof")["last_checkpoint"]).fetchone()
    return Standing(
        first=read_base(connection).seq + 1,
        last=last,
        holds=link(entry.prev_hash, entry.payload) == entry.hash,
        checkpoint=checkpoint_in(found[1]) if found else None,
    )
