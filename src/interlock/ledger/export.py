"""The ledger as a file for others: JSON lines, or a table of cells."""

from __future__ import annotations

import csv
import io
import sqlite3
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.ends import Base, Checkpoint, checkpoint_in, read_base, removal_in
from interlock.ledger.entry import COLUMNS, GENESIS, Row, StoredRecord, text_or_none
from interlock.ledger.reader import snapshot
from interlock.ledger.verify import Break, Chain, Verification, Walk, first_fault, verify
from interlock.store.database import open_to_read
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
    """Which entries to export; None is any. A file without all of them says so."""

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
    """Yield the file in chunks; it shows the ledger at the moment of the first chunk.

    A line of JSON is the payload with `prev_hash` and `hash` before its last brace.
    """
    done = 0
    selection = _describe(read_base(connection).ledger, wanted) if wanted != ALL else None
    encode = _table(selection) if form is Form.CSV else _lines
    try:
        with snapshot(connection, {"upto": upto, **msgspec.structs.asdict(wanted)}) as batches:
            yield _header(selection) if form is Form.CSV else _first_line(selection)
            for rows in batches:
                yield encode(rows)
                done += len(rows)
                if progress is not None:
                    progress(done)
    except sqlite3.DatabaseError as error:
        raise LedgerError(f"cannot read the ledger: {explain(error)}") from error


def _describe(ledger: str, wanted: Selection) -> Mapping[str, Any]:
    return {"export": "selection", "filter": msgspec.to_builtins(wanted), "format": FORMAT, "ledger": ledger}


def _first_line(selection: Mapping[str, Any] | None) -> bytes:
    return b"" if selection is None else msgspec.json.encode(selection, order="sorted") + b"\n"


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


def _header(selection: Mapping[str, Any] | None) -> bytes:
    return _write_rows([[*COLUMNS, *([SELECTION] if selection else [])]])


def _table(selection: Mapping[str, Any] | None) -> Callable[[Iterable[Row]], bytes]:
    more = [msgspec.json.encode(selection, order="sorted").decode()] if selection else []
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


_RECORD: Final = msgspec.json.Decoder(StoredRecord)
_UNNAMED: Final = len(COLUMNS) - 3  # the columns before payload and hashes


class UnreadableError(Exception):
    """A line or a row that is not an entry."""


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
                raise UnreadableError(f"line {number} is not an entry") from None

    @staticmethod
    def _announces(line: bytes) -> bool:
        if b'"export"' not in line[:16]:
            return False
        try:
            first = msgspec.json.decode(line)
        except msgspec.DecodeError:
            return False
        return isinstance(first, dict) and first.get("format") == FORMAT


class Table:
    """Entries from a table of cells; the cells before the payload must agree with it."""

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
                    "this is not an export of a ledger: it is not JSON lines, a table of ours or a database"
                )
            for cells in self._reader:
                yield self._entry(cells)
        except (csv.Error, UnicodeError, msgspec.DecodeError, ValueError, IndexError, RecursionError):
            raise UnreadableError(f"line {self._reader.line_num} is not an entry") from None

    def _header(self) -> list[str]:
        try:
            return next(self._reader, [])
        except (csv.Error, UnicodeError):
            return []

    def _entry(self, cells: list[str]) -> Row:
        payload, prev_hash, hashed = cells[_UNNAMED : _UNNAMED + 3]
        row = _row(payload.encode(), bytes.fromhex(prev_hash), bytes.fromhex(hashed))
        for name, cell, value in zip(COLUMNS, cells[:_UNNAMED], row, strict=False):
            if cell != defuse("" if value is None else str(value)):
                raise UnreadableError(f"line {self._reader.line_num}: `{name}` differs from the payload")
        return row


def _entry(line: bytes) -> Row:
    payload, hashes = payload_of(line), hashes_of(line)
    if line_of(payload, *hashes).rstrip(b"\n") != line.rstrip(b"\n"):
        raise ValueError("another reader would read it differently")
    return _row(payload, *hashes)


def _row(payload: bytes, prev_hash: bytes, hashed: bytes) -> Row:
    record = _RECORD.decode(payload)
    body: Any = record.body
    columns = (text_or_none(getattr(body, name)) for name in ("session_id", "event", "tool", "decision"))
    return (
        record.seq,
        record.id,
        record.op,
        record.ts,
        record.actor,
        record.workspace,
        *columns,
        payload,
        prev_hash,
        hashed,
    )


_SQLITE: Final = b"SQLite format 3\0"
_HASH: Final = 32
_BATCH: Final = 256

Progress = Callable[[int], object] | None


def verify_file(
    path: Path, progress: Progress, checkpoints: Sequence[Checkpoint], keys: Collection[str]
) -> tuple[Verification, bool]:
    """Check a file as the ledger itself is checked; the second value says whether it is a selection."""
    try:
        with path.open("rb") as file:
            start = file.read(len(_SQLITE))
            file.seek(0)
            if start == _SQLITE:
                return _database(path, progress, checkpoints, keys), False
            return _Reading(file, start[:1] == b"{").verified(progress, checkpoints, keys)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise LedgerError(f"cannot read `{path}`: {reason}; name another file") from error


def _database(
    path: Path, progress: Progress, checkpoints: Sequence[Checkpoint], keys: Collection[str]
) -> Verification:
    with closing(open_to_read(path, ours=False)) as connection:
        return verify(connection, progress, checkpoints=checkpoints, keys=keys)


class _Reading:
    """One pass over a file; it collects what was signed, and every hash, to compare them at the end."""

    def __init__(self, file: BinaryIO, lines: bool) -> None:
        self._rows: Final = Lines(file) if lines else Table(file)
        self._hashes: Final = bytearray()
        self._signed: Final[list[tuple[int, bytes]]] = []
        self._removals: Final[list[bytes]] = []
        self._first: Row | None = None

    def verified(
        self, progress: Progress, checkpoints: Sequence[Checkpoint], keys: Collection[str]
    ) -> tuple[Verification, bool]:
        walk = Walk()
        broken: Break | None = None
        try:
            for rows in _groups(self._rows):
                if self._first is None:
                    self._first = rows[0]
                    walk = Walk(_base_before(rows[0]))
                broken = self._alone(walk, rows) if self._rows.selection else walk.take(rows)
                self._keep(rows)
                if broken is not None:
                    break
                if progress is not None:
                    progress(walk.entries)
        except UnreadableError as error:
            broken = Break(seq=walk.head.seq + 1, what=str(error))
        if self._rows.selection:
            return walk.result(broken), True
        return self._signed_result(walk, broken, checkpoints, keys), False

    def _alone(self, walk: Walk, rows: Iterable[Row]) -> Break | None:
        """In a selection each entry answers for itself."""
        for row in rows:
            single = Walk(Base("", row[0] - 1, row[11]))
            if (broken := single.take([row])) is not None:
                return broken
            walk.head, walk.entries = single.head, walk.entries + 1
        return None

    def _keep(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._hashes.extend(row[12])
            if row[2] == "checkpoint":
                self._signed.append((row[0], row[10]))
            elif row[2] == "retention":
                self._removals.append(row[10])

    def _signed_result(
        self, walk: Walk, broken: Break | None, checkpoints: Sequence[Checkpoint], keys: Collection[str]
    ) -> Verification:
        base = walk.base._replace(ledger=self._ledger(checkpoints))
        removals = reversed(self._removals)
        removal = next((payload for payload in removals if _explains(payload, base)), None)
        chain = Chain(base, walk.head, self._hash_of, self._signed, whole=broken is None)
        return walk.result(broken, first_fault(chain, removal, checkpoints, keys))

    def _hash_of(self, seq: int) -> bytes | None:
        if self._first is None or seq < self._first[0]:
            return None
        at = (seq - self._first[0]) * _HASH
        return bytes(self._hashes[at : at + _HASH]) or None

    def _ledger(self, checkpoints: Sequence[Checkpoint]) -> str:
        """The name of the ledger, from what was signed in the file, else from what it is compared with."""
        inside = (checkpoint_in(payload) for _, payload in self._signed)
        removed = (removal_in(payload) for payload in self._removals)
        documents = (*inside, *removed, *checkpoints)
        return next((document.ledger for document in documents if document is not None), "")


def _base_before(row: Row) -> Base:
    # Nothing precedes entry 1; what precedes any other must be signed by a `retention` entry.
    return Base("", *GENESIS) if row[0] == 1 else Base("", row[0] - 1, row[11])


def _explains(payload: bytes, base: Base) -> bool:
    removal = removal_in(payload)
    return removal is not None and removal.first <= base.seq <= removal.last


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows in groups; those before an unreadable line come first."""
    group: list[Row] = []
    try:
        for row in rows:
            group.append(row)
            if len(group) == _BATCH:
                yield group
                group = []
    except UnreadableError:
        if group:
            yield group
        raise
    if group:
        yield group
