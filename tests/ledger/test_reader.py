"""Laws of looking entries up."""

from __future__ import annotations

import sqlite3

import msgspec
import pytest
from tests.ledger.records import record

from interlock.errors import LedgerError
from interlock.ledger.entry import Entry
from interlock.ledger.reader import Filter, LedgerReader
from interlock.ledger.writer import LedgerWriter


@pytest.fixture
def reader(database: sqlite3.Connection, writer: LedgerWriter) -> LedgerReader:
    """A reader of twelve decisions and a note by another actor."""
    record(writer, *range(1, 13))
    writer.append("note", "human:me", "/w", {"session_id": "s0"})
    writer.flush()
    return LedgerReader(database)


def seqs(entries: list[Entry]) -> list[int]:
    """Their places."""
    return [entry.seq for entry in entries]


class Note(msgspec.Struct):
    """What a reader wants of a body."""

    text: str


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (b'{"body":{"text":"x","more":1}}', "x"),
        (b'{"body":{"text":7}}', None),
        (b'{"body":{"text":"\xff"}}', None),
        (b'{"body":', None),
        (b'{"body":{"more":' + b"[" * 100_000, None),
    ],
    ids=["more", "another type", "no text", "cut off", "too deep"],
)
def test_a_body_of_another_shape_is_none_and_no_error(
    reader: LedgerReader, payload: bytes, text: str | None
) -> None:
    """So one broken entry does not end what reads all of them."""
    entry = reader.page(limit=1)[0]._replace(payload=payload)

    note = entry.body_as(Note)

    assert (note and note.text) == text


def test_pages_come_newest_first_and_go_on_before_a_seq(reader: LedgerReader) -> None:
    """Every entry is on exactly one page."""
    found, before = [], None
    while page := reader.page(limit=5, before=before):
        found.append(seqs(page))
        before = page[-1].seq

    assert found == [[13, 12, 11, 10, 9], [8, 7, 6, 5, 4], [3, 2, 1]]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Filter(session="s0"), [13, 12, 10, 8, 6, 4, 2]),
        (Filter(actor="human:me"), [13]),
        (Filter(decision="deny"), [12, 9, 6, 3]),
        (Filter(tool="Bash", decision="deny"), [12, 9, 6, 3]),
        (Filter(session="s0", decision="deny"), [12, 6]),
        (Filter(session="s0", actor="human:me"), [13]),
        (Filter(actor="agent:main", decision="deny"), [12, 9, 6, 3]),
        (Filter(actor="human:me", tool="Bash"), []),
        (Filter(session=""), []),
    ],
)
def test_filters_narrow_together(reader: LedgerReader, wanted: Filter, expected: list[int]) -> None:
    """An entry is given when every filter fits it."""
    assert seqs(reader.page(wanted)) == expected


def test_tail_and_after_are_in_the_order_of_writing(reader: LedgerReader) -> None:
    """The last few, and what came after one of them."""
    assert seqs(reader.tail(3)) == [11, 12, 13]
    assert seqs(reader.tail(0)) == []
    assert seqs(reader.after(10)) == [11, 12, 13]
    assert seqs(reader.after(10, limit=2)) == [11, 12]
    assert reader.count() == 13


def test_an_entry_is_shown_by_its_seq_or_its_id(reader: LedgerReader) -> None:
    """Both names give the same entry."""
    entry = reader.show("7")

    assert entry.seq == 7
    assert reader.show(entry.id) == entry


@pytest.mark.parametrize("name", ["99", "0", "9" * 30, "op_0000000000000000", "", "²", "7 "])
def test_a_name_nobody_has_is_an_error_that_repeats_it(reader: LedgerReader, name: str) -> None:
    """What does not exist is named."""
    with pytest.raises(LedgerError, match=f"there is no entry `{name}`"):
        reader.show(name)


def test_a_ledger_that_cannot_be_read_is_explained(database: sqlite3.Connection) -> None:
    """The engine's own error does not come through."""
    database.execute("DROP TABLE ledger")
    for look in (LedgerReader(database).count, LedgerReader(database).page):
        with pytest.raises(LedgerError, match="cannot read the ledger"):
            look()
