"""The next entries of a machine's ledger, as they are handed to the fleet's."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import msgspec

from interlock.errors import TeamLedgerError
from interlock.features.team_ledger.entry import GAP, column_text
from interlock.ledger.chain import GENESIS, Head, write_down
from interlock.ledger.ends import Base, read_base
from interlock.ledger.entry import Entry, Payload
from interlock.store.clock import timestamp
from interlock.store.statements import statements

MOST: Final = 500  # entries at a time,
SIZE: Final = 1 << 20  # or as many as hold this much
_TEXTS: Final = ("id", "op", "ts", "actor", "workspace", "session_id", "event", "tool", "decision")
_PLAIN: Final = msgspec.json.Encoder()


class Sent(NamedTuple):
    """One entry on its way; with `missing` it stands for entries that are gone."""

    entry: Entry
    missing: int = 0


class Batch(NamedTuple):
    """What comes next, and how far the machine's own ledger goes."""

    sent: list[Sent]
    last: int  # the machine's last entry

    def parameters(self) -> dict[str, list[Any]]:
        """As the statement takes them, a list for each column."""
        entries = [one.entry for one in self.sent]
        given: dict[str, list[Any]] = {name: [_text(getattr(e, name)) for e in entries] for name in _TEXTS}
        given["seq"] = [entry.seq for entry in entries]
        given["record"] = [entry.payload for entry in entries]
        given["hash"] = [entry.hash for entry in entries]
        given["missing"] = [one.missing for one in self.sent]
        return given


def next_batch(
    connection: sqlite3.Connection,
    at: Head,
    *,
    most: int = MOST,
    size: int = SIZE,
    clock: Callable[[], float] = time.time,
) -> Batch:
    """What follows the place the fleet has; raise when this ledger does not lead there any more."""
    connection.execute("BEGIN")  # one moment: retention may move the beginning between two looks
    try:
        base = read_base(connection)
        found = connection.execute(statements("ledger")["head"]).fetchone()
        head = Head(*found) if found else base.head
        _refuse_fork(connection, base, head, at)
        sent = []
        if at.seq < base.seq:
            sent.append(_gone(base, at, timestamp(clock())))
        rows = connection.execute(statements("ledger")["after"], (max(at.seq, base.seq), most))
        sent += [Sent(entry) for entry in _up_to(rows, size)]
    finally:
        connection.execute("COMMIT")
    return Batch(sent, head.seq)


def _refuse_fork(connection: sqlite3.Connection, base: Base, head: Head, at: Head) -> None:
    """The fleet's last entry of this ledger must be in it; what retention removed nobody can compare."""
    if at.seq < base.seq or at == GENESIS:
        return
    found: bytes | None = base.hash if at.seq == base.seq else None
    if base.seq < at.seq <= head.seq:
        row = connection.execute(statements("ledger")["hash_at"], (at.seq,)).fetchone()
        found = row[0] if row else None
    if found != at.hash:
        raise TeamLedgerError(
            f"entry {at.seq} of this ledger is not the one the fleet has: it was restored from a backup or "
            "rewritten, or another machine ships it; run `interlock ledger verify`, then give it a new name "
            "by `machine`",
            lasting=True,
        )


def _up_to(rows: Iterable[tuple[Any, ...]], size: int) -> Iterable[Entry]:
    """As many as fit, and one in any case."""
    taken = 0
    for row in rows:
        entry = Entry(*row)
        taken += len(entry.payload)
        if taken > size and taken > len(entry.payload):
            return
        yield entry


def _gone(base: Base, at: Head, now: str) -> Sent:
    """Counts what was removed here before the fleet had it; its hash is what the next one follows."""
    lost = base.seq - at.seq
    body = {
        "first": at.seq + 1,
        "last": base.seq,
        "lost": lost,
        "why": "removed on the machine by retention before they were shipped",
    }
    written = Payload(
        actor="system",
        body=msgspec.Raw(write_down(body)),
        id=f"gap_{base.ledger[:16]}_{base.seq}",
        op=GAP,
        seq=base.seq,
        ts=now,
        workspace="",
    )
    payload = _PLAIN.encode(written)
    columns = (written.seq, written.id, written.op, written.ts, written.actor, written.workspace)
    return Sent(Entry(*columns, None, None, None, None, payload, at.hash, base.hash), lost)


def _text(value: str | None) -> str | None:
    return column_text(value) if value is not None else None
