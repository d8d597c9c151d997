"""A damaged database is kept aside, and a new chain begins that says what it follows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from interlock.errors import StoreError
from interlock.ledger.chain import Head
from interlock.ledger.ends import read_base
from interlock.ledger.writer import LedgerWriter
from interlock.redaction.redactor import Redactor
from interlock.store.database import damage_of, forget_damage, open_database, open_to_read
from interlock.store.statements import statements

_FILES: Final = ("", "-wal", "-shm")  # the database first: a log left without it goes with the next repair


class RepairResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a repair did."""

    sound: bool  # the file is whole after all, or was put back from a backup
    kept: str | None = None  # where the damaged one lies now
    last: int | None = None  # its last entry, as far as that could be read


def is_sound(database: Path) -> bool:
    """Whether the engine finds no fault in the whole file; that takes a while for a large one."""
    try:
        with closing(open_to_read(database)) as connection:
            return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")
    except (sqlite3.Error, StoreError):
        return False


def repair(database: Path, redactor: Redactor, clock: Callable[[], float], stamp: str) -> RepairResult:
    """Open a closed ledger again; whoever calls holds the daemon's lock, so that nobody writes meanwhile."""
    why = damage_of(database)
    if database.exists() and is_sound(database):
        if why is not None:
            _say(database, redactor, clock, why, {})
        return RepairResult(sound=True)
    before = _end_of(database)
    kept = _move_aside(database, stamp)
    told: dict[str, Any] = {"kept": kept.name}
    if before is not None:
        ledger, last = before
        told |= {"ledger": ledger, "seq": last.seq, "hash": last.hash.hex()}
    _say(database, redactor, clock, why or f"the database was damaged, and kept as `{kept.name}`", told)
    return RepairResult(sound=False, kept=str(kept), last=before[1].seq if before else None)


def _say(
    database: Path, redactor: Redactor, clock: Callable[[], float], why: str, before: dict[str, Any]
) -> None:
    with closing(open_database(database)) as connection:
        writer = LedgerWriter(connection, clock, redact=redactor.body, name=redactor.name)
        writer.append("alarm", "system", "", {"reason": why})
        if before:
            gap = {"lost": 0, "why": "the ledger before this one was damaged", "before": before}
            writer.append("gap", "system", "", gap)
        writer.flush()
    forget_damage(database)


def _end_of(database: Path) -> tuple[str, Head] | None:
    """The name and the last entry of a damaged ledger, where both can still be read."""
    with suppress(sqlite3.Error, StoreError), closing(open_to_read(database)) as connection:
        found = connection.execute(statements("ledger")["head"]).fetchone()
        return read_base(connection).ledger, Head(*found) if found else read_base(connection).head
    return None


def _move_aside(database: Path, stamp: str) -> Path:
    kept = database.with_name(f"{database.name}.damaged-{stamp}")
    for side in _FILES:
        with suppress(FileNotFoundError):
            database.with_name(f"{database.name}{side}").rename(kept.with_name(f"{kept.name}{side}"))
    return kept
