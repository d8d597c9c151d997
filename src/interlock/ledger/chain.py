"""The chain itself: how an entry is bound to the one before it.

`hash = SHA-256(prev_hash || payload)`, over the bytes that are stored; before the first stand 32 zeros.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

import msgspec

from interlock.events.tool import JsonObject
from interlock.ledger.entry import Body, Columns, Entry, Payload

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
