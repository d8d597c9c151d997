"""Entries for tests, and the chain written again in a few plain lines to check ours against."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable

from interlock.ledger.entry import Entry
from interlock.ledger.writer import LedgerWriter


def record(writer: LedgerWriter, *numbers: int, flush: bool = True) -> list[Entry]:
    """Append one decision per number."""
    found = [
        writer.append(
            "decision",
            "agent:main",
            "/w/app",
            {
                "session_id": f"s{number % 2}",
                "event": "PreToolUse",
                "tool": "Bash",
                "decision": "deny" if number % 3 == 0 else "allow",
                "number": number,
            },
        )
        for number in numbers
    ]
    return writer.flush() if flush else found


def rows(connection: sqlite3.Connection) -> list[tuple[int, bytes, bytes, bytes]]:
    """Place, payload and hashes of everything stored."""
    return connection.execute("SELECT seq, payload, prev_hash, hash FROM ledger ORDER BY seq").fetchall()


def holds(stored: Iterable[tuple[int, bytes, bytes, bytes]]) -> bool:
    """Whether rows are a chain from 1 on, by the definition and nothing else."""
    expected, last = 1, b"\0" * 32
    for seq, payload, prev_hash, hashed in stored:
        if (seq, prev_hash) != (expected, last) or hashlib.sha256(last + payload).digest() != hashed:
            return False
        expected, last = expected + 1, hashed
    return True
