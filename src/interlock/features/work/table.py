"""What the tables of the work share: named statements in, records out."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, Final, TypeVar, get_origin, get_type_hints

import msgspec

from interlock.errors import StoreError
from interlock.store.clock import timestamp
from interlock.store.errors import explain
from interlock.store.statements import statements

Record = TypeVar("Record", bound=msgspec.Struct)


class Table:
    """Runs on the connection it is given; the caller begins and ends the transaction."""

    file: ClassVar[str]  # of its statements

    def __init__(self, connection: sqlite3.Connection, clock: Callable[[], float] = time.time) -> None:
        self._connection: Final = connection
        self._clock: Final = clock
        self._sql: Final = statements(self.file)

    def _now(self) -> str:
        return timestamp(self._clock())

    def _run(self, name: str, /, **values: Any) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._sql[name], values)
        except sqlite3.Error as error:
            raise StoreError(f"the state of the work cannot be used: {explain(error)}") from error

    def _one(self, kind: type[Record], name: str, /, **values: Any) -> Record | None:
        found = self._all(kind, name, **values)
        return found[0] if found else None

    def _the(self, kind: type[Record], name: str, /, **values: Any) -> Record:
        """A row that is there, since it was just written or seen."""
        found = self._one(kind, name, **values)
        if found is None:
            raise StoreError(f"a row of `{self.file}` is missing; check the database file")
        return found

    def _all(self, kind: type[Record], name: str, /, **values: Any) -> list[Record]:
        cursor = self._run(name, **values)
        try:
            rows = cursor.fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"the state of the work cannot be used: {explain(error)}") from error
        if not rows:
            return []
        names = [column[0] for column in cursor.description or ()]
        return [record_of(kind, dict(zip(names, row, strict=True))) for row in rows]


def record_of(kind: type[Record], row: Mapping[str, Any]) -> Record:
    """A row as its record; columns the record does not name are left out."""
    plain, written = _fields(kind)
    values = {name: row[name] for name in plain if name in row}
    for name in written:
        value = row.get(name)
        if value is not None:
            values[name] = _read(value)
    return kind(**values)


def _read(text: str) -> Any:
    value = msgspec.json.decode(text)
    return tuple(value) if isinstance(value, list) else value


def as_json(value: Any) -> str:
    """How lists and mappings are stored."""
    return msgspec.json.encode(value).decode()


def with_more(known: Iterable[str], more: Iterable[str]) -> list[str]:
    """A list with what it lacks, in the order of arrival."""
    return list(dict.fromkeys([*known, *more]))


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields that are stored as they are, and those that are stored as JSON."""
    hints = get_type_hints(kind)
    written = tuple(name for name in kind.__struct_fields__ if _is_json(hints[name]))
    return tuple(name for name in kind.__struct_fields__ if name not in written), written


def _is_json(hint: Any) -> bool:
    if hint is Any or get_origin(hint) in {tuple, dict}:
        return True
    return any(get_origin(part) in {tuple, dict} for part in getattr(hint, "__args__", ()))
