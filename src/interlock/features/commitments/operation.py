"""One operation on commitments, as it was asked for or as the ledger has it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject
from interlock.features.commitments.policy import OPERATIONS
from interlock.ledger.entry import Entry

KNOWN: Final = frozenset(OPERATIONS)
IMPORTED: Final = "imported"
MENTU: Final = "mentu"
# Beside what an operation is about; `commitment_id` is what its actor was at work on.
_ENVELOPE: Final = frozenset(
    {"session_id", "source_key", "meta", "claimed_actor", "commitment_id", "authenticated_by"}
)


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """Who did what, when and where; `payload` is what the operation is about."""

    op: str
    id: str  # of the entry, and of the memory, commitment or publication it makes
    ts: str
    actor: str
    workspace: str
    payload: JsonObject
    meta: JsonObject = {}  # author_type, trust_level, provenance, and whatever else is known of it
    source_key: str | None = None  # the same key is never recorded twice
    session_id: str | None = None  # of the agent that did it
    authenticated_by: str | None = None  # how a person showed who they are
    claimed_actor: str | None = None  # who an agent's process said it was: recorded, never believed

    def body(self) -> JsonObject:
        """What the ledger keeps beside the envelope."""
        own = {
            "session_id": self.session_id,
            "source_key": self.source_key,
            "meta": self.meta or None,
            "claimed_actor": self.claimed_actor,
            "authenticated_by": self.authenticated_by,
        }
        return {**self.payload, **{name: value for name, value in own.items() if value is not None}}


def operation_of(entry: Entry) -> Operation | None:
    """The operation an entry records, or None; a Mentu ledger's entries count as our own."""
    if entry.op not in KNOWN and entry.op != IMPORTED:
        return None
    try:
        body = entry.body
    except msgspec.MsgspecError:  # no record of ours; `verify` says which, and the rest still counts
        return None
    return _mentu(entry, body) if entry.op == IMPORTED else _own(entry, body)


def _own(entry: Entry, body: JsonObject) -> Operation:
    return Operation(
        op=entry.op,
        id=entry.id,
        ts=entry.ts,
        actor=entry.actor,
        workspace=entry.workspace,
        payload={key: value for key, value in body.items() if key not in _ENVELOPE},
        meta=_mapping(body.get("meta")),
        source_key=_text(body.get("source_key")),
        session_id=_text(body.get("session_id")),
        claimed_actor=_text(body.get("claimed_actor")),
        authenticated_by=_text(body.get("authenticated_by")),
    )


def _mentu(entry: Entry, body: JsonObject) -> Operation | None:
    """An imported line: its workspace is the one it was imported into, or its own name for it."""
    line = body.get("entry")
    if body.get("source") != MENTU or not isinstance(line, dict) or line.get("op") not in KNOWN:
        return None
    name, ts, actor = (_text(line.get(key)) for key in ("id", "ts", "actor"))
    if name is None or actor is None:
        return None
    payload = _mapping(line.get("payload"))
    if line["op"] == "publish":
        name = _text(payload.get("id")) or name
    return Operation(
        op=line["op"],
        id=name,
        ts=ts or entry.ts,
        actor=actor,
        workspace=entry.workspace or _text(body.get("workspace")) or _text(line.get("workspace")) or "",
        payload={key: value for key, value in payload.items() if key not in {*_ENVELOPE, "id"}},
        meta=_mapping(payload.get("meta")),
        source_key=_text(line.get("source_key")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _mapping(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}
