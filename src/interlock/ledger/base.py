"""Where a chain begins: at its first entry, or after those that retention removed."""

from __future__ import annotations

import sqlite3
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from interlock.errors import LedgerError
from interlock.events.tool import JsonObject
from interlock.ledger.chain import ZERO, Head
from interlock.ledger.entry import Entry
from interlock.ledger.signing import Signer
from interlock.store.failures import meaning
from interlock.store.statements import statements

FORMAT: Final = "interlock-retention/1"


class Base(NamedTuple):
    """The name of a ledger and the last entry that was removed from its front."""

    ledger: str
    seq: int = 0
    hash: bytes = ZERO
    entry: int | None = None  # the `retention` entry that says so
    signature: str | None = None

    @property
    def head(self) -> Head:
        """What the first entry follows."""
        return Head(self.seq, self.hash)


class Removal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a `retention` entry says; the members stand in the order of their names."""

    count: int
    first: int
    format: Literal["interlock-retention/1"]
    hash: Annotated[
        str, Meta(pattern="^[0-9a-f]{64}$")
    ]  # of the last one removed: the first one left follows it
    key: str
    last: int
    ledger: str
    rule: str
    signature: str
    ts: str

    @property
    def document(self) -> JsonObject:
        """As it is written and signed."""
        return msgspec.structs.asdict(self)


class _Said(msgspec.Struct, frozen=True):
    body: Removal


def read_base(connection: sqlite3.Connection) -> Base:
    """The base as it stands."""
    try:
        found = connection.execute(statements("proof")["base"]).fetchone()
    except sqlite3.Error as error:
        raise LedgerError(f"cannot read the ledger: {meaning(error)}") from error
    if found is None:
        raise LedgerError(
            "the ledger does not say where it begins: somebody removed that row; restore a backup"
        )
    return Base(*found)


def make_removal(base: Base, last: Head, rule: str, ts: str, signer: Signer) -> Removal:
    """Sign what is about to be removed."""
    document: dict[str, Any] = {
        "count": last.seq - base.seq,
        "first": base.seq + 1,
        "format": FORMAT,
        "hash": last.hash.hex(),
        "last": last.seq,
        "ledger": base.ledger,
        "rule": rule,
        "ts": ts,
    }
    return msgspec.convert(signer.sign(document), Removal)


def removal_in(payload: bytes) -> Removal | None:
    """What the payload of a `retention` entry says, or None when it says no such thing."""
    try:
        return msgspec.json.decode(payload, type=_Said).body
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def last_removal(connection: sqlite3.Connection) -> tuple[int, Removal] | None:
    """The newest `retention` entry and its place."""
    found = connection.execute(statements("proof")["last_retention"]).fetchone()
    removal = removal_in(found[1]) if found else None
    return (found[0], removal) if removal is not None else None


def entry_at(connection: sqlite3.Connection, seq: int) -> Entry | None:
    """One entry, by its place."""
    row = connection.execute(statements("ledger")["by_seq"], (seq,)).fetchone()
    return Entry(*row) if row else None
