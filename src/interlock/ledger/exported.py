"""Verifying a file that was exported, with nothing but the file and what was signed."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from interlock.errors import LedgerError
from interlock.ledger.chain import GENESIS, Row
from interlock.ledger.ends import Base, Checkpoint, removal_in
from interlock.ledger.entry import COLUMNS, StoredRecord, text_or_none
from interlock.ledger.export import FORMAT, SELECTION, defuse, hashes_of, line_of, payload_of
from interlock.ledger.verify import Break, Chain, Verification, Walk, checkpoint_in, first_fault, verify
from interlock.store.database import open_to_read

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
    said = _RECORD.decode(payload)
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
    """One pass over a file; what was signed in it is kept aside, and every hash, to compare them."""

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
            one = Walk(Base("", row[0] - 1, row[11]))
            if (broken := one.take([row])) is not None:
                return broken
            walk.head, walk.entries = one.head, walk.entries + 1
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
        said = next((payload for payload in reversed(self._removals) if _explains(payload, base)), None)
        chain = Chain(base, walk.head, self._hash_of, self._signed, whole=broken is None)
        return walk.result(broken, first_fault(chain, said, checkpoints, keys))

    def _hash_of(self, seq: int) -> bytes | None:
        if self._first is None or seq < self._first[0]:
            return None
        at = (seq - self._first[0]) * _HASH
        return bytes(self._hashes[at : at + _HASH]) or None

    def _ledger(self, checkpoints: Sequence[Checkpoint]) -> str:
        """The name of the ledger, from what was signed in the file, else from what it is compared with."""
        inside = (checkpoint_in(payload) for _, payload in self._signed)
        removed = (removal_in(payload) for payload in self._removals)
        named = [one.ledger for one in (*inside, *removed, *checkpoints) if one is not None]
        return named[0] if named else ""


def _base_before(row: Row) -> Base:
    # Before the first entry stands nothing; before any other what a `retention` entry must have signed.
    return Base("", *GENESIS) if row[0] == 1 else Base("", row[0] - 1, row[11])


def _explains(payload: bytes, base: Base) -> bool:
    removal = removal_in(payload)
    return removal is not None and removal.first <= base.seq <= removal.last


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows in groups; what stands before something that is none comes first."""
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
