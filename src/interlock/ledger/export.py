"""The ledger as a file for others: JSON lines, or a table of cells."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable, Generator, Iterable, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.chain import Row
from interlock.ledger.ends import read_base
from interlock.ledger.entry import COLUMNS
from interlock.ledger.reader import snapshot
from interlock.store.errors import explain

FORMAT: Final = "interlock-export/1"
SELECTION: Final = "selection"  # the column that says so in a table
_END: Final = 2**63 - 1
_ADDED: Final = len(b',"prev_hash":"","hash":""}') + 2 * 64  # two hashes of 64 digits
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for a formula


class Form(StrEnum):
    """How entries are written."""

    JSONL = "jsonl"
    CSV = "csv"


class Selection(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which entries are wanted, None being any; a file that does not hold them all says so."""

    actor: str | None = None
    decision: str | None = None
    session: str | None = None
    since: str | None = None
    tool: str | None = None
    until: str | None = None


ALL: Final = Selection()


def export(
    connection: sqlite3.Connection,
    form: Form = Form.JSONL,
    wanted: Selection = ALL,
    *,
    upto: int = _END,
    progress: Callable[[int], object] | None = None,
) -> Generator[bytes, None, None]:
    """Give the file in chunks, as the ledger was when the first was asked for.

    A line of JSON is the payload with `prev_hash` and `hash` before its last brace.
    """
    done = 0
    said = _says(read_base(connection).ledger, wanted) if wanted != ALL else None
    make = _table(said) if form is Form.CSV else _lines
    try:
        with snapshot(connection, {"upto": upto, **msgspec.structs.asdict(wanted)}) as batches:
            yield _header(said) if form is Form.CSV else _first_line(said)
            for rows in batches:
                yield make(rows)
                done += len(rows)
                if progress is not None:
                    progress(done)
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"cannot read the ledger: {explain(error)}") from error


def _says(ledger: str, wanted: Selection) -> Mapping[str, Any]:
    return {"export": "selection", "filter": msgspec.to_builtins(wanted), "format": FORMAT, "ledger": ledger}


def _first_line(said: Mapping[str, Any] | None) -> bytes:
    return b"" if said is None else msgspec.json.encode(said, order="sorted") + b"\n"


def _lines(rows: Iterable[Row]) -> bytes:
    return b"".join(line_of(row[10], row[11], row[12]) for row in rows)


def line_of(payload: bytes, prev_hash: bytes, hashed: bytes) -> bytes:
    """One entry as a line of JSON whose payload can be cut out again byte by byte."""
    return b'%b,"prev_hash":"%b","hash":"%b"}\n' % (
        payload[:-1],
        prev_hash.hex().encode(),
        hashed.hex().encode(),
    )


def payload_of(exported: bytes) -> bytes:
    """The bytes that were hashed, cut out of an exported line (with or without its end)."""
    return exported.rstrip(b"\n")[:-_ADDED] + b"}"


def hashes_of(exported: bytes) -> tuple[bytes, bytes]:
    """The two hashes of an exported line."""
    bare = exported.rstrip(b"\n")
    prev_hash, hashed = bare[-_ADDED + len(b',"prev_hash":"') :][:64], bare[-66:-2]
    return bytes.fromhex(prev_hash.decode()), bytes.fromhex(hashed.decode())


def _header(said: Mapping[str, Any] | None) -> bytes:
    return _write_rows([[*COLUMNS, *([SELECTION] if said else [])]])


def _table(said: Mapping[str, Any] | None) -> Callable[[Iterable[Row]], bytes]:
    more = [msgspec.json.encode(said, order="sorted").decode()] if said else []
    return lambda rows: _write_rows([*_cells(row), *more] for row in rows)


def _cells(row: Row) -> list[str]:
    named = [defuse("" if value is None else str(value)) for value in row[:10]]
    return [*named, row[10].decode(), row[11].hex(), row[12].hex()]


def defuse(cell: str) -> str:
    """A text that no spreadsheet takes for a formula.

    The payload begins with a brace and so is never changed: what is verified stays as it was hashed.
    """
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _write_rows(rows: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    # All in quotes: a line end inside a cell is then no end of a row, to any reader.
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
