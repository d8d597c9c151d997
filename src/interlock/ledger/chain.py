"""The chain: how an entry is bound to the one before it, and in which blocks the entries of a session are.

`hash = SHA-256(prev_hash || payload)`, over the bytes that are stored; before the first stand 32 zeros.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from interlock.events.tool import JsonObject
from interlock.ledger.entry import COLUMNS, Body, Columns, Entry, Payload

ZERO: Final = bytes(32)
_SORTED: Final = msgspec.json.Encoder(order="sorted")
# The fields of our own records stand in the order of their names already; what they hold is sorted.
_DECLARED: Final = msgspec.json.Encoder(order="deterministic")
_PLAIN: Final = msgspec.json.Encoder()


class Head(NamedTuple):
    """The end of the chain: the last sequence number and its hash."""

    seq: int
    hash: bytes


GENESIS: Final = Head(0, ZERO)


def write_down(body: JsonObject | Body) -> bytes:
    """The body as bytes, written once."""
    return (_DECLARED if isinstance(body, Body) else _SORTED).encode(body)


def bind(written: Payload, columns: Columns, head: Head | Entry) -> Entry:
    """Give a record its place after the head; `columns` are the members of its body that are searched by."""
    payload = _PLAIN.encode(written)
    prev = head.hash
    place = (written.seq, written.id, written.op, written.ts, written.actor, written.workspace)
    return Entry(*place, *columns, payload, prev, link(prev, payload))


def move(entry: Entry, head: Head) -> Entry:
    """The same entry at another place, before it is committed; everything but its place stays."""
    written = msgspec.structs.replace(msgspec.json.decode(entry.payload, type=Payload), seq=head.seq + 1)
    return bind(written, (entry.session_id, entry.event, entry.tool, entry.decision), head)


def link(prev_hash: bytes, payload: bytes) -> bytes:
    """The hash that binds a payload to everything before it."""
    return hashlib.sha256(prev_hash + payload).digest()


BLOCK_SIZE: Final = 512  # seqs in a block; the statements that read them know it too
SESSION: Final = "session"
ACTOR: Final = "actor"
_ACTOR: Final = COLUMNS.index("actor")
_SESSION: Final = COLUMNS.index("session_id")

Row = tuple[Any, ...]  # the columns of `Entry`, in its order
Mark = tuple[str, str | None, int]  # the kind of name, the name, the block


class Blocks:
    """Remembers which marks the newest block has, so that few entries bring one.

    An index by session would have a page for each active session, and every commit would write all of them.
    """

    def __init__(self) -> None:
        self._block = -1
        self._known: Final[set[Mark]] = set()
        self._names: Final[set[tuple[str, str | None]]] = (
            set()
        )  # actor and session of entries that brought all

    def new(self, rows: Iterable[Row]) -> list[Mark]:
        """The marks these entries need and no entry before them brought."""
        found = []
        for row in rows:
            if (block := row[0] // BLOCK_SIZE) != self._block:
                self._block = block
                self._known.clear()
                self._names.clear()
            names = (row[_ACTOR], row[_SESSION])
            if names in self._names:  # as nearly every entry's
                continue
            self._names.add(names)
            marks = marks_of(row)
            found += [mark for mark in marks if mark not in self._known and mark[1] is not None]
            self._known.update(marks)
        return found

    def has(self, row: Row) -> bool:
        """Whether an entry brings no mark, as one knows without looking closer."""
        return row[0] // BLOCK_SIZE == self._block and (row[_ACTOR], row[_SESSION]) in self._names

    def forget(self) -> None:
        """Nothing is known of what is stored; a mark written twice is harmless."""
        self._block = -1


def marks_of(row: Row) -> tuple[Mark, Mark]:
    """Under which names an entry is looked for, and where; a name may be None."""
    block = row[0] // BLOCK_SIZE
    return (ACTOR, row[_ACTOR], block), (SESSION, row[_SESSION], block)
