"""One entry of the fleet's ledger: a machine's entry, where it stands there, and where it stands here."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from interlock.events.tool import JsonObject
from interlock.ledger.entry import body_of

GAP: Final = "gap"
_Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class FleetRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload as it is hashed; members stand in the order of their names."""

    ledger: str
    machine: str
    machine_hash: _Hash
    machine_seq: int
    missing: int
    received: str
    record: msgspec.Raw  # the machine's own payload, to the byte
    seq: int


_DECODER: Final = msgspec.json.Decoder(FleetRecord)


class FleetEntry(NamedTuple):
    """A row of the fleet's ledger; the first thirteen columns are those of every ledger."""

    seq: int
    id: str
    op: str
    ts: str  # by the machine's clock
    actor: str
    workspace: str
    session_id: str | None
    event: str | None
    tool: str | None
    decision: str | None
    payload: bytes  # the exact bytes that are hashed
    prev_hash: bytes
    hash: bytes
    machine: str
    machine_ledger: str
    machine_seq: int
    machine_hash: bytes
    missing: int  # how many of the machine's entries this one stands for; 0: it is one itself
    received: str  # by the server's clock

    @property
    def body(self) -> JsonObject:
        """What the entry tells, beside who, where and when."""
        return body_of(bytes(record_in(self.payload).record))

    @property
    def document(self) -> JsonObject:
        """As plain values, its hashes as hexadecimal text."""
        return {
            "seq": self.seq,
            "id": self.id,
            "op": self.op,
            "ts": self.ts,
            "received": self.received,
            "machine": self.machine,
            "machine_ledger": self.machine_ledger,
            "machine_seq": self.machine_seq,
            "machine_hash": self.machine_hash.hex(),
            "missing": self.missing,
            "actor": self.actor,
            "workspace": self.workspace,
            "body": self.body,
            "prev_hash": self.prev_hash.hex(),
            "hash": self.hash.hex(),
        }


def record_in(payload: bytes) -> FleetRecord:
    """What a payload says; raises as decoding does."""
    return _DECODER.decode(payload)


def column_text(text: str) -> str:
    """A text as a column can hold it: the server's texts have no zero character, and the payload keeps it."""
    return text.replace("\0", "\ufffd")
