"""Checkpoints and removals for tests, made as the daemon makes them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

from interlock.ledger.ends import Checkpoint, Removal, Signer, make_checkpoint, make_removal, read_base
from interlock.ledger.entry import Head
from interlock.ledger.writer import LedgerWriter

TS = "2026-01-01T00:00:00.000Z"


def sign_end(connection: sqlite3.Connection, writer: LedgerWriter, key: Path) -> Checkpoint:
    """A checkpoint of everything recorded, and the entry about it."""
    writer.flush()
    made = make_checkpoint(read_base(connection), writer.head, TS, Signer(key))
    writer.append("checkpoint", "system", "", made.document)
    writer.flush()
    return made


def say_removal(
    connection: sqlite3.Connection, writer: LedgerWriter, last: int, key: Path
) -> tuple[int, Removal]:
    """The entry that comes before a removal, and what it says."""
    hashed = connection.execute("SELECT hash FROM ledger WHERE seq = ?", (last,)).fetchone()[0]
    removal = make_removal(read_base(connection), Head(last, hashed), "older than 30d", TS, Signer(key))
    entry = writer.append("retention", "system", "", removal.document)
    writer.flush()
    return entry.seq, removal


def rewrite(connection: sqlite3.Connection, seq: int) -> None:
    """Change one entry and hash everything after it anew, as somebody who knows the format would."""
    prev = connection.execute("SELECT prev_hash FROM ledger WHERE seq = ?", (seq,)).fetchone()[0]
    found = connection.execute(
        "SELECT seq, payload FROM ledger WHERE seq >= ? ORDER BY seq", (seq,)
    ).fetchall()
    for place, payload in found:
        changed = payload
        if place == seq:
            document = json.loads(payload)
            document["body"]["number"] = "forged"
            changed = json.dumps(document).encode()
        hashed = hashlib.sha256(prev + changed).digest()
        connection.execute(
            "UPDATE ledger SET payload = ?, prev_hash = ?, hash = ? WHERE seq = ?",
            (changed, prev, hashed, place),
        )
        prev = hashed
