"""`interlock ledger prune`, `repair` and `import`: what changes the ledger as a whole."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import typer

from interlock.cli.daemon_client import ask_daemon
from interlock.cli.ledger import POLL_SECONDS, JsonResult, connected, progress
from interlock.cli.output import print_json, printable
from interlock.cli.people_only import has_terminal, require_person
from interlock.cli.policy_source import here
from interlock.daemon.launcher import stop
from interlock.daemon.paths import FileLock, make_private, places_of
from interlock.errors import InterlockError, StoreError
from interlock.features.ledger_tools.mentu import MentuEntry, read_mentu, refuse_problems
from interlock.ledger.ends import read_base
from interlock.ledger.entry import Head
from interlock.ledger.reader import LedgerReader
from interlock.ledger.retention import find_end, whole
from interlock.ledger.writer import LedgerWriter
from interlock.policy.locations import marked_root
from interlock.policy.settings.ledger import Retention, age, size
from interlock.redaction.marks import redaction_key
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
            _record_repair(database, redactor, clock, why, {})
        return RepairResult(sound=True)
    before = _end_of(database)
    kept = _move_aside(database, stamp)
    told: dict[str, Any] = {"kept": kept.name}
    if before is not None:
        ledger, last = before
        told |= {"ledger": ledger, "seq": last.seq, "hash": last.hash.hex()}
    _record_repair(
        database, redactor, clock, why or f"the database was damaged, and kept as `{kept.name}`", told
    )
    return RepairResult(sound=False, kept=str(kept), last=before[1].seq if before else None)


def _record_repair(
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


maintenance = typer.Typer()
_GROUP: Final = 200
_GROUP_BYTES: Final = 256 * 1024  # of a request, which may have 1 MB


class Source(StrEnum):
    """Whose ledger it is."""

    MENTU = "mentu"


@maintenance.command("import", epilog="Example: interlock ledger import .mentu/ledger.jsonl")
def import_ledger(
    file: Annotated[Path, typer.Argument(help="The ledger to import.")],
    form: Annotated[Source, typer.Option("--format", help="Whose it is.")] = Source.MENTU,
    broken: Annotated[
        bool, typer.Option("--broken", help="Import it even if its chain is broken; each entry says so.")
    ] = False,
    as_json: JsonResult = False,
) -> int:
    """Add the entries of another ledger.

    Its chain is checked first. Each entry is added once; a second import adds nothing.
    """
    if not broken:
        refuse_problems(_lines(file), str(file))  # all of it before any of it
    place = _workspace_field(file)
    added = known = bad = 0
    tell = progress("imported")
    for group in _groups(_lines(file)):
        if not broken:
            refuse_problems(group, str(file))  # it was changed since it was looked at
        entries = [{"id": one.name, "body": {**one.body, **place}} for one in group if one.digest]
        answer = ask_daemon("ledger.import", {"entries": entries}) if entries else {"added": 0, "known": 0}
        added, known = added + answer["added"], known + answer["known"]
        for one in group:
            if one.problem:
                bad += 1
                typer.echo(printable(f"line {one.line}: {one.problem}"), err=True)
        if tell is not None:
            tell(added + known)
    document = {"format": form, "added": added, "known": known, "problems": bad}
    _print(document, f"imported {added} entries; {known} were already there", as_json=as_json)
    return 1 if bad else 0


def _workspace_field(file: Path) -> dict[str, str]:
    """The project the ledger lies in: its commitments go on there."""
    found = marked_root(os.path.realpath(file.parent))
    return {} if found is None else {"workspace": found}


def _lines(file: Path) -> Iterator[MentuEntry]:
    try:
        with file.open("rb") as stream:
            yield from read_mentu(stream)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InterlockError(f"cannot read `{file}`: {reason}; name another file") from error


def _groups(found: Iterable[MentuEntry]) -> Iterator[list[MentuEntry]]:
    """As many as fit into one request: what is answered for is on disk, and an interruption loses no more."""
    group: list[MentuEntry] = []
    size = 0
    for one in found:
        length = len(msgspec.json.encode(one.entry))
        if group and (len(group) == _GROUP or size + length > _GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(one)
        size += length
    if group:
        yield group


_PATIENCE_SECONDS: Final = 600.0


@maintenance.command(epilog="Example: interlock ledger prune --days 7 --dry-run")
def prune(
    days: Annotated[
        str | None, typer.Option(metavar="AGE", help="Remove entries older than this: 30, 12h.")
    ] = None,
    most: Annotated[
        str | None,
        typer.Option("--size", metavar="SIZE", help="Remove the oldest entries above this size: 500MB."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be removed.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    unshipped: Annotated[
        bool, typer.Option("--unshipped", help="Remove entries that the team ledger does not have yet, too.")
    ] = False,
    as_json: JsonResult = False,
) -> int:
    """Remove the oldest entries for good.

    A signed entry says which were removed, and the rest still verifies.
    """
    rule = _rule(days, most)
    found = _found(rule)
    if found is None:
        return _print({"removed": 0, "last": None, "rule": None}, "nothing to remove", as_json=as_json)
    first, last, words = found
    count = last.seq - first + 1
    told = f"{count} entries, {first} to {last.seq} ({words})"
    if dry_run:
        document = {"removed": 0, "would_remove": count, "first": first, "last": last.seq, "rule": words}
        return _print(document, f"would remove {told}", as_json=as_json)
    require_person("ledger prune", passphrase=True)
    if not yes and not _confirm(f"Remove {told} for good?", "review it with --dry-run, then add --yes"):
        typer.echo("nothing was removed", err=True)
        return 1
    answer = ask_daemon("ledger.prune", {"last": last.seq, "rule": words, "unshipped": unshipped})
    _wait(answer["first"], last.seq)
    return _print({"removed": answer["count"], **answer, "rule": words}, f"removed {told}", as_json=as_json)


def _rule(days: str | None, most: str | None) -> Retention:
    if (days is None) == (most is None):
        raise InterlockError("say what to remove: --days AGE or --size SIZE")
    try:
        seconds = age(days) if days is not None else None
        return Retention(seconds=seconds, size=size(most) if most is not None else None)
    except ValueError as error:
        raise InterlockError(str(error)) from None


def _found(rule: Retention) -> tuple[int, Head, str] | None:
    with connected() as connection:
        newest = LedgerReader(connection).tail(1)
        if not newest:
            return None
        end = whole(find_end(connection, rule, time.time(), Head(newest[0].seq, newest[0].hash)))
        return (read_base(connection).seq + 1, *end) if end else None


def _wait(first: int, last: int) -> None:
    """The daemon removes a little at a time, so that nobody waits for it; here somebody does."""
    tell, end = progress("removed"), time.monotonic() + _PATIENCE_SECONDS
    with connected() as connection:
        while (seq := read_base(connection).seq) < last:
            if time.monotonic() > end:
                raise InterlockError(f"entries up to {seq} are removed; the daemon removes the rest later")
            if tell is not None:
                tell(seq - first + 1)
            time.sleep(POLL_SECONDS / 4)


def _print(document: object, text: str, *, as_json: bool) -> int:
    if as_json:
        print_json(document)
    else:
        typer.echo(text)
    return 0


def _confirm(question: str, otherwise: str) -> bool:
    if not sys.stdin.isatty() or not has_terminal():
        raise InterlockError(f"nobody can confirm this here; {otherwise}")
    return typer.confirm(question, err=True)


@maintenance.command("repair", epilog="Example: interlock ledger repair")
def repair_(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    as_json: JsonResult = False,
) -> int:
    """Start a new chain after the database was damaged.

    The damaged database is kept, and the new chain says so.

    To go on with a backup, put its file in place of the database first.
    """
    require_person("ledger repair", passphrase=True)
    places = places_of(here())
    sound = is_sound(places.database)
    if sound and damage_of(places.database) is None:
        return _print(RepairResult(sound=True), "nothing to repair: the database is intact", as_json=as_json)
    if not sound and not places.database.exists() and damage_of(places.database) is None:
        raise InterlockError(
            f"there is no database at `{places.database}` yet, so there is nothing to repair"
        )
    question = (
        "Grants, open approvals, cancelled sessions, commitments and recorded calls start empty, too.\n"
        f"Keep `{places.database}` aside and start a new ledger?"
    )
    if not sound and not yes and not _confirm(question, "run it in a terminal, or add --yes"):
        typer.echo("nothing was changed", err=True)
        return 1
    stop(places)
    make_private(places.run)  # where no daemon has ever run
    lock = FileLock(places.lock)
    if not lock.take():
        raise InterlockError("a daemon has started in the meantime; run `interlock ledger repair` again")
    try:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        done = repair(places.database, Redactor(redaction_key(places.state)), time.time, stamp)
    finally:
        lock.release()
    if done.sound:
        return _print(done, "the database is intact; calls are decided again", as_json=as_json)
    last = "" if done.last is None else f" (its last entry: {done.last})"
    told = f"a new ledger starts; the damaged one is kept as {done.kept}{last}"
    return _print(done, told, as_json=as_json)
