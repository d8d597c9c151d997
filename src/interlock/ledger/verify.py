"""Checking the whole chain in one pass, and naming the first entry that is not as it was written."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from hashlib import sha256
from typing import Final

import msgspec

from interlock.ledger.blocks import Blocks, Row, marks_of
from interlock.ledger.chain import GENESIS, Head
from interlock.ledger.entry import COLUMNS, Recorded, text_or_none
from interlock.ledger.snapshot import snapshot
from interlock.store.failures import meaning
from interlock.store.statements import statements

_DECODER: Final = msgspec.json.Decoder(Recorded)
_COPIES: Final = COLUMNS[: COLUMNS.index("payload")]


class Break(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where the chain does not hold."""

    seq: int
    what: str


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """How far the chain holds, and its end there: compare that with one kept elsewhere."""

    entries: int
    head: Head
    broken: Break | None = None


def verify(connection: sqlite3.Connection, progress: Callable[[int], object] | None = None) -> Verification:
    """Read every entry once; each must follow the one before it, its columns saying what its payload says."""
    head, entries = GENESIS, 0
    blocks = Blocks()
    try:
        with snapshot(connection) as batches:
            for rows in batches:
                for row in rows:
                    what = _fault(row, head)
                    if what is not None:
                        return _broken(entries, head, Break(seq=row[0], what=what))
                    head = Head(row[0], row[12])
                    entries += 1
                if (place := _hidden(rows, blocks, connection)) is not None:
                    return _broken(entries, head, place)
                if progress is not None:
                    progress(entries)
    except sqlite3.DatabaseError as error:
        what = f"it cannot be read: {meaning(error)}"
        return _broken(entries, head, Break(seq=head.seq + 1, what=what))
    return Verification(entries=entries, head=head)


def _broken(entries: int, head: Head, place: Break) -> Verification:
    return Verification(entries=entries, head=head, broken=place)


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
