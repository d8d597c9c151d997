"""Checking the whole chain in one pass, and naming the first entry that is not as it was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from hashlib import sha256
from typing import Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.base import Base, entry_at, read_base
from interlock.ledger.blocks import Blocks, Row, marks_of
from interlock.ledger.chain import Head
from interlock.ledger.checkpoint import Checkpoint
from interlock.ledger.entry import COLUMNS, Recorded, text_or_none
from interlock.ledger.proof import Break, Chain, first_fault
from interlock.ledger.snapshot import snapshot
from interlock.store.failures import meaning
from interlock.store.statements import statements

_DECODER: Final = msgspec.json.Decoder(Recorded)
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
        broken = signed = Break(seq=walk.head.seq + 1, what=f"it cannot be read: {meaning(error)}")
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
        if (place := walk.take(rows) or _hidden(rows, blocks, connection)) is not None:
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
        recorded = _DECODER.decode(payload)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return "payload: it is no record"
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


def _hidden(rows: list[Row], blocks: Blocks, connection: sqlite3.Connection) -> Break | None:
    """The first entry that stands in its place and is passed over by a list of its actor or session."""
    has_block = statements("ledger")["has_block"]
    for mark in blocks.new(rows):
        if connection.execute(has_block, mark).fetchone() is None:
            seq = next(row[0] for row in rows if mark in marks_of(row))
            return Break(seq=seq, what=f"block: it cannot be found by its {mark[0]}")
    return None


def _differing(row: Row, recorded: Recorded) -> str:
    for name, value in zip(_COPIES, row, strict=False):
        source = recorded if name in Recorded.__struct_fields__ else recorded.body
        said = getattr(source, name)
        if value != (said if source is recorded else text_or_none(said)):
            return name
    return "a column"
