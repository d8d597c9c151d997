"""`interlock ledger repair`: going on after the database was damaged."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.ledger import JsonResult
from interlock.cli.passphrase import has_terminal
from interlock.cli.people_only import require_person
from interlock.cli.policy_source import here
from interlock.daemon.file_lock import FileLock
from interlock.daemon.launcher import stop
from interlock.daemon.paths import Places, places_of
from interlock.daemon.private_dir import make_private
from interlock.errors import InterlockError
from interlock.ledger.repair import RepairResult, is_sound, repair
from interlock.redaction.marks import redaction_key
from interlock.redaction.redactor import Redactor
from interlock.store.damage import damage_of

repairing = typer.Typer()


@repairing.command("repair", epilog="Example: interlock ledger repair")
def repair_(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask; for scripts.")] = False,
    as_json: JsonResult = False,
) -> int:
    """Go on after the database was damaged: it is kept aside, and a new chain begins that says so.

    To go on with a backup, put its file in place of the database first.
    """
    require_person("ledger repair", passphrase=True)
    places = places_of(here())
    sound = is_sound(places.database)
    if sound and damage_of(places.database) is None:
        return _said(RepairResult(sound=True), "nothing to repair: the database is sound", as_json=as_json)
    if not sound and not places.database.exists() and damage_of(places.database) is None:
        raise InterlockError(f"there is no database at `{places.database}` yet, so nothing to repair")
    if not sound and not yes and not _confirmed(places):
        typer.echo("nothing was changed", err=True)
        return 1
    stop(places)
    make_private(places.run)  # where no daemon has ever run
    lock = FileLock(places.lock)
    if not lock.take():
        raise InterlockError("a daemon has started meanwhile; run `interlock ledger repair` again")
    try:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        done = repair(places.database, Redactor(redaction_key(places.state)), time.time, stamp)
    finally:
        lock.release()
    if done.sound:
        return _said(done, "the database is sound; calls are decided again", as_json=as_json)
    last = "" if done.last is None else f" (its last entry: {done.last})"
    told = f"a new ledger begins; the damaged one is kept as {done.kept}{last}"
    return _said(done, told, as_json=as_json)


def _confirmed(places: Places) -> bool:
    if not sys.stdin.isatty() or not has_terminal():
        raise InterlockError("nobody is here to confirm; run it in a terminal, or say --yes")
    what = f"Keep `{places.database}` aside and begin a new ledger?"
    also = "Grants, open approvals, cancelled sessions, commitments and recorded calls begin anew, too."
    return typer.confirm(f"{also}\n{what}", err=True)


def _said(done: RepairResult, text: str, *, as_json: bool) -> int:
    if as_json:
        print_json(done)
    else:
        typer.echo(text)
    return 0
