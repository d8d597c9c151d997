"""Laws of the chain and of what one entry holds."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from typing import Any

import pytest
from tests.ledger.records import holds, record, rows

from interlock.errors import LedgerError
from interlock.ledger.writer import EntryStamps, LedgerWriter


@pytest.mark.req("M56", "M74")
def test_the_payload_holds_every_column_in_sorted_json(
    writer: LedgerWriter, database: sqlite3.Connection
) -> None:
    """The stored bytes are one JSON object with sorted keys, no spaces, and all that the columns say."""
    [entry] = record(writer, 3)
    document = json.loads(entry.payload)

    assert document == {
        "seq": 1,
        "id": entry.id,
        "op": "decision",
        "ts": "2023-11-14T22:13:20.250Z",
        "actor": "agent:main",
        "workspace": "/w/app",
        "body": {"session_id": "s1", "event": "PreToolUse", "tool": "Bash", "decision": "deny", "number": 3},
    }
    assert entry.payload == json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    assert tuple(database.execute("SELECT * FROM ledger").fetchone()) == tuple(entry)
    assert entry.body == document["body"]


@pytest.mark.req("M74")
def test_each_hash_covers_the_one_before_and_the_stored_bytes(
    writer: LedgerWriter, database: sqlite3.Connection
) -> None:
    """SHA-256 of the previous hash and the payload; 32 zero bytes stand before the first."""
    first, second = record(writer, 1, 2)

    assert first.prev_hash == bytes(32)
    assert first.hash == hashlib.sha256(bytes(32) + first.payload).digest()
    assert second.prev_hash == first.hash
    assert holds(rows(database))


@pytest.mark.req("M57")
def test_ids_are_unique_and_grow_with_time() -> None:
    """`op_` and 16 hexadecimal digits, in order within a process also when the clock stands still."""
    stamps = EntryStamps(start=0)
    found = [stamps.next(1_700_000_000 + second)[0] for second in (0, 0, 0, 1, 2, 2)]

    assert all(re.fullmatch(r"op_[0-9a-f]{16}", text) for text in found)
    assert found == sorted(set(found))


def test_two_processes_begin_their_ids_elsewhere() -> None:
    """The same second in another process gives another id."""
    assert EntryStamps().next(0)[0] != EntryStamps().next(0)[0]


def test_ids_begin_again_when_their_counter_is_used_up() -> None:
    """An id never has more than 16 digits."""
    assert EntryStamps(start=2**32 - 1).next(0)[0] == "op_" + "0" * 16


@pytest.mark.parametrize(
    "body",
    [{"x": object()}, {"x": "\ud800"}, {1j: 2}, {"x": {"y": {3, "z"}, "o": object()}}],
    ids=["an object", "half a character", "a key", "nested"],
)
def test_what_is_no_json_is_refused_and_takes_no_place(writer: LedgerWriter, body: dict[Any, Any]) -> None:
    """An entry that cannot be written down leaves the chain as it was."""
    with pytest.raises(LedgerError, match="cannot record `decision`"):
        writer.append("decision", "agent:main", "/w", body)

    assert writer.pending == 0
    assert [entry.seq for entry in record(writer, 1)] == [1]


@pytest.mark.parametrize("field", ["op", "actor", "workspace"])
def test_a_broken_text_in_any_field_is_refused(writer: LedgerWriter, field: str) -> None:
    """Half a character in a name is refused at append, not at the flush of others' entries."""
    values = {"op": "o", "actor": "a", "workspace": "w", field: "\ud800"}
    with pytest.raises(LedgerError, match="plain JSON"):
        writer.append(**values, body={})

    assert writer.pending == 0


def test_members_that_are_no_text_are_kept_but_not_searched_by(writer: LedgerWriter) -> None:
    """A body is free; only texts get a column."""
    writer.append("note", "a", "w", {"session_id": 5, "event": None, "tool": ["x"], "decision": {"a": 1}})
    [entry] = writer.flush()

    assert entry[6:10] == (None, None, None, None)
    assert entry.body["session_id"] == 5


def test_any_text_survives(writer: LedgerWriter, database: sqlite3.Connection) -> None:
    """NUL, quotes, emoji and right-to-left text come back as they went in."""
    odd = "a\0b'\"\\ \u202e \U0001f512 é"
    writer.append("note", odd, odd, {"session_id": odd, "x": odd})
    [entry] = writer.flush()

    assert tuple(database.execute("SELECT * FROM ledger").fetchone()) == tuple(entry)
    assert (entry.actor, entry.session_id, entry.body["x"]) == (odd, odd, odd)
