"""Verifying a chain in one pass: the first entry that was changed, or that contradicts what was signed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.ends import (
    Base,
    Checkpoint,
    Removal,
    checkpoint_in,
    entry_at,
    read_base,
    removal_in,
    signature_fault,
)
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
    """The first place where the chain is broken."""

    seq: int
    what: str


class Chain(NamedTuple):
    """A chain that was read: its base, its head, and what was signed in it."""

    base: Base
    head: Head
    hash_of: Callable[[int], bytes | None]  # the hash of an entry, None if it is missing
    signed: Sequence[tuple[int, bytes]] = ()  # seq and payload of its `checkpoint` entries
    whole: bool = True  # the head is the end of the chain, not the place where it broke


def first_fault(
    chain: Chain, payload_of_removal: bytes | None, outside: Iterable[Checkpoint], keys: Collection[str]
) -> Break | None:
    """The first place that contradicts something signed, in the chain or in checkpoints kept `outside`."""
    faults = [_base_fault(chain, payload_of_removal, keys), *_own_faults(chain, keys)]
    faults += [_checkpoint_fault(chain, checkpoint, keys) for checkpoint in outside]
    return _first(faults)


def _first(faults: Iterable[Break | None]) -> Break | None:
    return min((fault for fault in faults if fault), key=lambda fault: fault.seq, default=None)


def _base_fault(chain: Chain, payload: bytes | None, keys: Collection[str]) -> Break | None:
    """What is wrong with the beginning; `payload` is the `retention` entry that should explain it."""
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
    # During a removal, the entries that are still there must lead to what was signed.
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
            yield _checkpoint_fault(chain, checkpoint, keys)


def _checkpoint_fault(chain: Chain, checkpoint: Checkpoint, keys: Collection[str]) -> Break | None:
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
    """How far the chain is intact, from `base` to `head`."""

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
    """Check that each entry follows the one before it, and that its columns match its payload.

    Also check what was signed: where the chain begins, its checkpoints, and the checkpoints given.
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
    """Walks along a chain: how many entries are intact so far, and the last of them."""

    def __init__(self, base: Base = NOWHERE) -> None:
        self.base: Final = base
        self.head = base.head
        self.entries = 0

    def take(self, rows: Iterable[Row]) -> Break | None:
        """Check the next rows; stop at the first that does not follow."""
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
        """The result; of several faults, the first in the chain."""
        return Verification(entries=self.entries, base=self.base, head=self.head, broken=_first(faults))


def _walk(
    walk: Walk,
    batches: Iterable[list[Row]],
    connection: sqlite3.Connection,
    progress: Callable[[int], object] | None,
) -> Break | None:
    blocks = Blocks()
    for rows in batches:
        if (broken := walk.take(rows) or _find_hidden(rows, blocks, connection)) is not None:
            return broken
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

    entry = entry_at(connection, walk.base.entry) if walk.base.entry is not None else None
    removal = entry.payload if entry and entry.op == "retention" else None
    signed = connection.execute(statements("proof")["checkpoints"]).fetchall()
    chain = Chain(walk.base, walk.head, hash_of, signed, whole)
    return first_fault(chain, removal, checkpoints, keys)


def _fault(row: Row, head: Head) -> str | None:
    """What is wrong with a row that should follow `head`. This is the hot loop."""
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
    """The first entry that lists by actor or session would miss, because its block is not marked."""
    has_block = statements("ledger")["has_block"]
    for mark in blocks.new(rows):
        if connection.execute(has_block, mark).fetchone() is None:
            seq = next(row[0] for row in rows if mark in marks_of(row))
            return Break(seq=seq, what=f"block: it cannot be found by its {mark[0]}")
    return None


def _differing(row: Row, recorded: StoredRecord) -> str:
    for name, value in zip(_COPIES, row, strict=False):
        source = recorded if name in StoredRecord.__struct_fields__ else recorded.body
        stored = getattr(source, name)
        if value != (stored if source is recorded else text_or_none(stored)):
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
    """A verification in words: what it was compared with, and what it cannot show."""

    found: Verification
    checkpoints: Mapping[str, Checkpoint] = {}  # by the file they came from
    keys: Sequence[str] = ()  # the public keys that were required
    selection: bool = False

    @property
    def code(self) -> int:
        return 1 if self.found.broken else 0

    @property
    def proved(self) -> int:
        """The last entry that a checkpoint kept elsewhere covers."""
        return max((checkpoint.seq for checkpoint in self.checkpoints.values()), default=0)

    @property
    def unknown(self) -> list[str]:
        """What this verification cannot show."""
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
        found = self.found
        broken = {"seq": found.broken.seq, "what": found.broken.what} if found.broken else None
        return {
            "verified": found.broken is None,
            "entries": found.entries,
            "base": {"seq": found.base.seq, "hash": found.base.hash.hex()},
            "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
            "broken": broken,
            "checkpoints": [
                {"file": file, "seq": checkpoint.seq, "ts": checkpoint.ts, "key": checkpoint.key}
                for file, checkpoint in self.checkpoints.items()
            ],
            "proved_to": self.proved,
            "end_known": broken is None and not self.selection and self.proved == found.head.seq > 0,
            "self_signed": not self.keys,
            "selection": self.selection,
            "unknown": self.unknown,
        }

    def lines(self) -> list[str]:
        found = self.found
        if found.broken:
            return [f"broken at {found.broken.seq}: {found.broken.what}"]
        removed = f"; 1 to {found.base.seq} were removed by retention" if found.base.seq else ""
        if self.selection:
            return [f"verified: {found.entries} entries, each on its own"]
        return [
            f"verified: {found.entries} entries{removed}",
            f"head: {found.head.seq} {found.head.hash.hex()}",
            *(self._checkpoint_line(file, checkpoint) for file, checkpoint in self.checkpoints.items()),
        ]

    def _checkpoint_line(self, file: str, checkpoint: Checkpoint) -> str:
        seq, ts = checkpoint.seq, checkpoint.ts
        if seq < self.found.base.seq:
            return f"checkpoint {file}: from {ts}, about entries that were removed since"
        after = self.found.head.seq - seq
        return f"checkpoint {file}: entry {seq} of {ts} is correct; {after} came after it"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The proof of one entry, as far as it can be checked without the rest of the chain."""

    first: int
    last: int
    holds: bool  # whether the previous hash and the payload give the entry's hash
    checkpoint: Checkpoint | None = None  # the last one of this ledger

    def words(self, entry: Entry) -> dict[str, str]:
        """The proof for people."""
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
    with explain_errors("cannot read the ledger", LedgerError):
        last = connection.execute(statements("ledger")["head"]).fetchone()[0]
        found = connection.execute(statements("proof")["last_checkpoint"]).fetchone()
    return Standing(
        first=read_base(connection).seq + 1,
        last=last,
        holds=link(entry.prev_hash, entry.payload) == entry.hash,
        checkpoint=checkpoint_in(found[1]) if found else None,
    )
