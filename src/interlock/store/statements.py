"""Named SQL statements, read from `.sql` files; Python never builds any."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from types import MappingProxyType
from typing import Final

from interlock.files.own_files import bundled_file

_NAME: Final = re.compile(r"^-- name: (\w+)[ \t]*$", re.MULTILINE)


@cache
def statements(file: str) -> Mapping[str, str]:
    """The statements of `sql/<file>.sql` by name."""
    return parse_statements(bundled_file(f"store/sql/{file}.sql").read_text("utf-8"))


def parse_statements(text: str) -> Mapping[str, str]:
    """Cut a text at its `-- name:` lines; what stands before the first is the file's own comment."""
    _, *parts = _NAME.split(text)
    names, bodies = parts[::2], parts[1::2]
    if len(set(names)) < len(names):
        # A defect of ours: the second would silently hide the first.
        raise ValueError(f"a statement is named twice among {names}")
    return MappingProxyType({name: body.strip() for name, body in zip(names, bodies, strict=True)})


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the lock for writing from the first statement on, and commit at the end."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def savepoint(connection: sqlite3.Connection, name: str) -> Iterator[None]:
    """Run a step inside a transaction; if it fails, its changes are undone and the transaction goes on."""
    connection.execute(f"SAVEPOINT {name}")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # after some errors the engine has undone everything by itself
            connection.execute(f"ROLLBACK TO {name}")
        raise
    finally:
        with suppress(sqlite3.Error):
            connection.execute(f"RELEASE {name}")
