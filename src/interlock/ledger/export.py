"""The ledger as a file for others: JSON lines, or a whole database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from typing import Final

from interlock.errors import LedgerError
from interlock.ledger.snapshot import snapshot
from interlock.store.failures import meaning

_ADDED: Final = len(b',"prev_hash":"","hash":""}') + 2 * 64  # two hashes of 64 digits


def jsonl(
    connection: sqlite3.Connection, progress: Callable[[int], object] | None = None
) -> Generator[bytes, None, None]:
    """Give chunks of lines, one entry each, as the ledger was when the first was asked for.

    A line is the payload with `prev_hash` and `hash` put before its last brace, so that the bytes that were
    hashed can be had back from it (`payload_of`).
    """
    done = 0
    try:
        with snapshot(connection) as batches:
            for rows in batches:
                yield b"".join(line(row[10], row[11], row[12]) for row in rows)
                done += len(rows)
                if progress is not None:
                    progress(done)
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"cannot read the ledger: {meaning(error)}") from error


def line(payload: bytes, prev_hash: bytes, hashed: bytes) -> bytes:
    """One entry as a line of JSON whose payload can be cut out again byte by byte."""
    return b'%b,"prev_hash":"%b","hash":"%b"}\n' % (
        payload[:-1],
        prev_hash.hex().encode(),
        hashed.hex().encode(),
    )


def payload_of(exported: bytes) -> bytes:
    """The bytes that were hashed, cut out of an exported line (with or without its end)."""
    return exported.rstrip(b"\n")[:-_ADDED] + b"}"
