"""One entry of the ledger: what was recorded, and the columns it is found by."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from interlock.events.tool import JsonObject


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
