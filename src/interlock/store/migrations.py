"""Bringing a database up to the schema this version knows, one numbered step at a time."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from interlock.errors import StoreError
from interlock.files.own_files import bundled_file
from interlock.store.errors import explain
from interlock.store.files import back_up
from interlock.store.statements import transaction

_STEP: Final = re.compile(r"(\d{4})_(\w+)\.sql")


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the schema folder; it ends by setting `user_version` to its number."""

    number: int
    name: str
    sql: str


@cache
def steps() -> tuple[Step, ...]:
    """Every step this version ships, in order."""
    found = []
    for file in bundled_file("store/schema").iterdir():
        named = _STEP.fullmatch(file.name)
        if named:
            found.append(Step(number=int(named[1]), name=named[2], sql=file.read_text("utf-8")))
    return tuple(sorted(found, key=lambda step: step.number))


def version(connection: sqlite3.Connection) -> int:
    """The number of the last step this database has seen; 0 for an empty one."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def check_version(connection: sqlite3.Connection, path: Path, known: Sequence[Step]) -> int:
    """Give the database's version, and refuse one from a newer Interlock: its rules are not ours to guess."""
    at, newest = version(connection), known[-1].number
    if at > newest:
        raise StoreError(
            f"`{path}` was written by a newer Interlock (schema {at}, this one knows {newest}); update "
            "Interlock, or choose another home with INTERLOCK_HOME"
        )
    return at


def migrate(connection: sqlite3.Connection, path: Path, known: Sequence[Step] | None = None) -> None:
    """Run the steps that are missing; a database with data is copied beside itself first."""
    known = known or steps()
    at = check_version(connection, path, known)
    backed_up = at == 0
    for step in known:
        if step.number > at:
            _run(connection, path, step, keep_copy=not backed_up)
            backed_up = True


def _run(connection: sqlite3.Connection, path: Path, step: Step, *, keep_copy: bool) -> None:
    try:
        with transaction(connection):
            # Looked at again under the lock: another process may have run this step while we waited.
            if (at := version(connection)) >= step.number:
                return
            if keep_copy:
                back_up(path, path.with_name(f"{path.name}.v{at}.backup"))
            for statement in split(step.sql):
                connection.execute(statement)
    except (sqlite3.Error, OSError) as error:
        reason = explain(error) if isinstance(error, sqlite3.Error) else f"{error}; check the disk"
        raise StoreError(f"cannot update `{path}` to schema {step.number}: {reason}") from error


def split(script: str) -> Iterator[str]:
    """The statements of a script one by one: `executescript` would end the transaction we are in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if ";" in line and sqlite3.complete_statement(statement):  # a comment may follow on the line
            yield statement
            statement = ""
    if any(line.strip() and not line.lstrip().startswith("--") for line in statement.splitlines()):
        raise ValueError("a script of the schema ends inside a statement")


def create(path: Path, temporary: Path) -> None:
    """Make a new database beside its place, then rename it; losing the race is not an error."""
    # Nothing can be lost before the name is given, so the steps need no syncs of their own.
    connection = sqlite3.connect(temporary, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = OFF")
        migrate(connection, path)
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    _sync(temporary)
    try:
        # A link and no rename: a rename would replace the file another process made and already writes to.
        path.hardlink_to(temporary)
    except FileExistsError:
        return
    _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
