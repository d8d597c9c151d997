"""One entry of the ledger: what was recorded, and the columns it is found by."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

import msgspec

from interlock.events.tool import JsonObject

Record = TypeVar("Record", bound=msgspec.Struct)


class Entry(NamedTuple):
    """A row of the ledger, in the order of its columns; `payload` is the record, the rest are copies."""

    seq: int
    id: str
    op: str
    ts: str
    actor: str
    workspace: str
    session_id: str | None
    event: str | None
    tool: str | None
    decision: str | None
    payload: bytes  # the exact bytes that are hashed
    prev_hash: bytes
    hash: bytes

    @property
    def body(self) -> JsonObject:
        """What the entry tells, beside who, where and when."""
        return body_of(self.payload)

    def body_as(self, kind: type[Record]) -> Record | None:
        """The members of the body that a record names; None for a body of another shape."""
        try:
            body: Record = _decoder(kind).decode(self.payload).body
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None
        return body


Columns = tuple[str | None, str | None, str | None, str | None]


class Body(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A body with known members, declared in the order of their names: it is written as it stands.

    To make a dictionary of it first would cost more than the writing.
    """

    @property
    def columns(self) -> Columns:
        """Session, event, tool and decision: what the entry is searched by."""
        raise NotImplementedError


class LookUp(msgspec.Struct, frozen=True, kw_only=True):
    """The members of a body that have a column of their own; one that is not text is not searched by."""

    session_id: Any = None
    event: Any = None
    tool: Any = None
    decision: Any = None


class Payload(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The record as it is written: members in the order of their names, the body as its own bytes."""

    actor: str
    body: msgspec.Raw
    id: str
    op: str
    seq: int
    ts: str
    workspace: str


class StoredRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The record as verifying reads it, with no more of the body than the columns hold."""

    actor: str
    body: LookUp
    id: str
    op: str
    seq: int
    ts: str
    workspace: str


class _WithBody(msgspec.Struct, frozen=True):
    body: JsonObject


class _Part(msgspec.Struct, Generic[Record]):
    body: Record


@cache
def _decoder(kind: type[Record]) -> msgspec.json.Decoder[_Part[Record]]:
    return msgspec.json.Decoder(_Part[kind])  # type: ignore[valid-type]  # made while it runs


_BODY: Final = msgspec.json.Decoder(_WithBody)
_LOOK_UP: Final = msgspec.json.Decoder(LookUp)


def body_of(payload: bytes) -> JsonObject:
    """What a payload tells, beside who, where and when."""
    return _BODY.decode(payload).body


COLUMNS: Final = Entry._fields


def columns_of(body: JsonObject) -> Columns:
    """The members of a body that have a column of their own, in the order of the columns."""
    return (
        text_or_none(body.get("session_id")),
        text_or_none(body.get("event")),
        text_or_none(body.get("tool")),
        text_or_none(body.get("decision")),
    )


def columns_in(written: bytes) -> Columns:
    """The same of a body that has been written down."""
    found = _LOOK_UP.decode(written)
    session_id, event = text_or_none(found.session_id), text_or_none(found.event)
    return (session_id, event, text_or_none(found.tool), text_or_none(found.decision))


def text_or_none(value: object) -> str | None:
    """A member of a body as its column holds it: a plain text, which the database takes without asking."""
    return str(value) if isinstance(value, str) else None


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
