"""The chain itself: how an entry is bound to the one before it.

`hash = SHA-256(prev_hash || payload)`, over the bytes that are stored; before the first stand 32 zeros.
"""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.entry import Entry, Payload, text_or_none
from interlock.tool import JsonObject

ZERO: Final = bytes(32)
_SORTED: Final = msgspec.json.Encoder(order="sorted")
_PLAIN: Final = msgspec.json.Encoder()


class Head(NamedTuple):
    """The end of the chain: the last sequence number and its hash."""

    seq: int
    hash: bytes


GENESIS: Final = Head(0, ZERO)


class Draft(NamedTuple):
    """An entry before it has its place; the place may change until it is committed, the rest may not."""

    id: str
    op: str
    ts: str
    actor: str
    workspace: str
    body: bytes
    session_id: str | None
    event: str | None
    tool: str | None
    decision: str | None


def draft(*, entry_id: str, op: str, ts: str, actor: str, workspace: str, body: JsonObject) -> Draft:
    """Write the body down once; what cannot be written cannot be recorded."""
    try:
        encoded = _SORTED.encode(body)
        for text in (op, actor, workspace):
            text.encode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise LedgerError(f"cannot record `{op}`: {error}; every value must be plain JSON") from error
    return Draft(
        entry_id,
        op,
        ts,
        actor,
        workspace,
        encoded,
        text_or_none(body.get("session_id")),
        text_or_none(body.get("event")),
        text_or_none(body.get("tool")),
        text_or_none(body.get("decision")),
    )


def seal(written: Draft, head: Head) -> Entry:
    """Give a draft its place after the head."""
    entry_id, op, ts, actor, workspace, body, session_id, event, tool, decision = written
    seq = head.seq + 1
    payload = _PLAIN.encode(
        Payload(actor=actor, body=msgspec.Raw(body), id=entry_id, op=op, seq=seq, ts=ts, workspace=workspace)
    )
    bound = link(head.hash, payload)
    return Entry(
        seq, entry_id, op, ts, actor, workspace, session_id, event, tool, decision, payload, head.hash, bound
    )


def link(prev_hash: bytes, payload: bytes) -> bytes:
    """The hash that binds a payload to everything before it."""
    return hashlib.sha256(prev_hash + payload).digest()
