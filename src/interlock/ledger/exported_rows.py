"""Entries out of an exported file, as rows of the ledger."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.blocks import Row
from interlock.ledger.entry import COLUMNS, Recorded, text_or_none
from interlock.ledger.export import FORMAT, SELECTION, defused, hashes_of, payload_of
from interlock.ledger.export import line as written

_DECODER: Final = msgspec.json.Decoder(Recorded)
_UNNAMED: Final = len(COLUMNS) - 3  # the columns before payload and hashes


class UnreadableError(Exception):
    """A line or a row that is no entry."""


class Lines:
    """Entries from JSON lines."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: Final = file
        self.selection = False

    def __iter__(self) -> Iterator[Row]:
        for number, line in enumerate(self._file, 1):
            if number == 1 and self._announces(line):
                self.selection = True
                continue
            try:
                yield _entry(line)
            except (msgspec.DecodeError, ValueError, RecursionError):
                raise UnreadableError(f"line {number} is no entry") from None

    @staticmethod
    def _announces(line: bytes) -> bool:
        if b'"export"' not in line[:16]:
            return False
        try:
            said = msgspec.json.decode(line)
        except msgspec.DecodeError:
            return False
        return isinstance(said, dict) and said.get("format") == FORMAT


class Table:
    """Entries from a table of cells; those before the payload must be what it says."""

    def __init__(self, file: BinaryIO) -> None:
        csv.field_size_limit(sys.maxsize)
        self._reader: Final = csv.reader(map(bytes.decode, file), strict=True)
        self.selection = False

    def __iter__(self) -> Iterator[Row]:
        header = self._header()
        self.selection = header[len(COLUMNS) :] == [SELECTION]
        try:
            if header[: len(COLUMNS)] != list(COLUMNS):
                raise LedgerError(
                    "this is no export of a ledger: neither JSON lines nor our table nor a database"
                )
            for cells in self._reader:
                yield self._entry(cells)
        except (csv.Error, UnicodeError, msgspec.DecodeError, ValueError, IndexError, RecursionError):
            raise UnreadableError(f"line {self._reader.line_num} is no entry") from None

    def _header(self) -> list[str]:
        try:
            return next(self._reader, [])
        except (csv.Error, UnicodeError):
            return []

    def _entry(self, cells: list[str]) -> Row:
        payload, prev_hash, hashed = cells[_UNNAMED : _UNNAMED + 3]
        row = _row(payload.encode(), bytes.fromhex(prev_hash), bytes.fromhex(hashed))
        for name, cell, value in zip(COLUMNS, cells[:_UNNAMED], row, strict=False):
            if cell != defused("" if value is None else str(value)):
                raise UnreadableError(f"line {self._reader.line_num}: `{name}` differs from the payload")
        return row


def _entry(line: bytes) -> Row:
    payload, hashes = payload_of(line), hashes_of(line)
    if written(payload, *hashes).rstrip(b"\n") != line.rstrip(b"\n"):
        raise ValueError("another reader would see something else in it")
    return _row(payload, *hashes)


def _row(payload: bytes, prev_hash: bytes, hashed: bytes) -> Row:
    said = _DECODER.decode(payload)
    body: Any = said.body
    columns = (text_or_none(getattr(body, name)) for name in ("session_id", "event", "tool", "decision"))
    return (
        said.seq,
        said.id,
        said.op,
        said.ts,
        said.actor,
        said.workspace,
        *columns,
        payload,
        prev_hash,
        hashed,
    )
