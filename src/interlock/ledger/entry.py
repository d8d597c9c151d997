"""One entry of the ledger: what was recorded, and the columns it is found by."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from interlock.tool import JsonObject


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
        return _BODY.decode(self.payload).body


class LookUp(msgspec.Struct, frozen=True, kw_only=True):
    """The members of a body that have a column of their own; one that is no text is not searched by."""

    session_id: Any = None
    event: Any = None
    tool: Any = None
    decision: Any = None


class Payload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The record as it is written: members in the order of their names, the body as its own bytes."""

    actor: str
    body: msgspec.Raw
    id: str
    op: str
    seq: int
    ts: str
    workspace: str


class Recorded(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


_BODY: Final = msgspec.json.Decoder(_WithBody)
COLUMNS: Final = Entry._fields


def text_or_none(value: object) -> str | None:
    """A member of a body as its column holds it."""
    return value if isinstance(value, str) else None
