"""Reads entries of the team ledger, newest first, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from interlock.events.tool import JsonObject
from interlock.features.team_ledger.postgres import check_usable, postgres_errors, postgres_statements
from interlock.ledger.entry import Entry, Head, body_of
from interlock.ledger.reader import Filter
from interlock.search.search import fits

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres import Connection

GAP: Final = "gap"
_Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class TeamRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The payload as it is hashed; members are in alphabetical order."""

    ledger: str
    machine: str
    machine_hash: _Hash
    machine_seq: int
    missing: int
    received: str
    record: msgspec.Raw  # the machine's own payload, to the byte
    seq: int


decode_record: Final = msgspec.json.Decoder(TeamRecord).decode


class TeamEntry(NamedTuple):
    """A row of the team ledger; the first thirteen columns are those of every ledger."""

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
    missing: int  # how many lost entries of the machine this one stands for; 0: it is an entry itself
    received: str  # by the server's clock

    @property
    def body(self) -> JsonObject:
        return body_of(bytes(decode_record(self.payload).record))

    @property
    def document(self) -> JsonObject:
        """Plain values for JSON, hashes as hexadecimal text."""
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


def column_text(text: str) -> str:
    """Replace zero characters, which Postgres text cannot hold; the payload keeps them."""
    return text.replace("\0", "\ufffd")


_END: Final = 2**63 - 1  # larger than any seq


class TeamFilter(Filter, frozen=True, kw_only=True):
    """Which entries to return; None means any. Times are the machines' own."""

    machine: str | None = None

    def fits(self, entry: TeamEntry) -> bool:
        return self.machine in {None, entry.machine} and fits(Entry(*entry[:13]), self)


class MachineRow(msgspec.Struct, frozen=True, kw_only=True):
    """How much of one machine's ledger has arrived."""

    machine: str
    ledger: str
    machine_seq: int
    machine_hash: str
    role: str
    entries: int
    missing: int
    first_received: str
    last_received: str
    seq: int  # of its last entry in the team ledger


ANY: Final = TeamFilter()


class TeamReader:
    """Reads the team ledger; pass the last `seq` of a page as `before` to get the next page."""

    def __init__(self, connection: Connection) -> None:
        check_usable(connection)
        self._connection: Final = connection
        self._sql: Final = postgres_statements()

    def page(
        self, wanted: TeamFilter = ANY, *, limit: int = 50, before: int | None = None
    ) -> list[TeamEntry]:
        place = {"before": _END if before is None else before, "limit": limit}
        return self._entries("list", msgspec.structs.asdict(wanted) | place)

    def after(self, seq: int, *, limit: int = 500) -> list[TeamEntry]:
        return self._entries("after", {"seq": seq, "limit": limit})

    def at(self, seq: int) -> TeamEntry | None:
        return next(iter(self._entries("at", {"seq": seq})), None)

    def head(self) -> tuple[str, Head]:
        """Return the name of the team ledger and its end."""
        fleet, seq, hashed = self._rows("head")[0]
        return fleet, Head(seq, hashed)

    def machines(self) -> list[MachineRow]:
        return [
            MachineRow(
                **dict(zip(MachineRow.__struct_fields__, (*row[:3], row[3].hex(), *row[4:]), strict=True))
            )
            for row in self._rows("machines")
        ]

    def _entries(self, name: str, values: Mapping[str, Any]) -> list[TeamEntry]:
        return [TeamEntry(*row) for row in self._rows(name, values)]

    def _rows(self, name: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        with postgres_errors():
            return self._connection.execute(self._sql[name], values, binary=True).fetchall()
