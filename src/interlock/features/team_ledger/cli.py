"""`interlock ledger team`: the ledger of all your machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from interlock.cli.help import make_group
from interlock.cli.ledger import JsonResult, progress
from interlock.cli.output import print_json, printable
from interlock.cli.policy_source import here
from interlock.cli.setup.doctor_checks import DoctorContext
from interlock.daemon.launcher import status
from interlock.errors import InterlockError
from interlock.events.text import plural
from interlock.events.tool import JsonObject
from interlock.features.team_ledger.cli_show import (
    UrlOption,
    chosen_team_ledger,
    connected,
    own_team_ledger,
    views,
)
from interlock.features.team_ledger.postgres import (
    INSTALL,
    grant,
    installed,
    migrate_postgres,
    schema_version,
)
from interlock.features.team_ledger.reader import TeamReader
from interlock.features.team_ledger.shipper import read_cursor
from interlock.features.team_ledger.verify import TeamVerification, verify_team_ledger
from interlock.hosts.host import Check, fail, ok, warn

proof = typer.Typer()


@proof.command(
    epilog="Example: interlock ledger team init --url postgresql://owner@db/interlock --ship laptop"
)
def init(
    ship: Annotated[
        list[str] | None,
        typer.Option("--ship", metavar="ROLE", help="Let this role ship, and nothing else; may be repeated."),
    ] = None,
    read: Annotated[
        list[str] | None, typer.Option("--read", metavar="ROLE", help="Let this role read; may be repeated.")
    ] = None,
    url: UrlOption = None,
    as_json: JsonResult = False,
) -> int:
    """Create or upgrade the team ledger in a database.

    Doing it again changes nothing.
    """
    chosen = chosen_team_ledger(url)
    with connected(chosen) as connection:
        done = migrate_postgres(connection)
        grant(connection, ship=ship or (), read=read or ())
        at = schema_version(connection)
    if as_json:
        print_json(
            {"place": chosen.place, "steps": done, "schema": at, "ship": ship or [], "read": read or []}
        )
        return 0
    what = "made" if 1 in done else "updated" if done else "nothing to do"
    lines = [f"{what}: {chosen.place}, schema {at}"]
    lines += [f"{role} may ship" for role in ship or ()] + [f"{role} may read" for role in read or ()]
    typer.echo("\n".join(map(printable, lines)))
    return 0


@proof.command("verify", epilog="Example: interlock ledger team verify --json")
def verify_all(url: UrlOption = None, as_json: JsonResult = False) -> int:
    """Check its chain and the chain of each machine.

    It prints `verified: N entries`, or `broken at SEQ` with exit 1.
    """
    chosen = chosen_team_ledger(url)
    with connected(chosen) as connection:
        note = read_cursor(here().state)
        # At the address this machine ships to, it must be the same team ledger. At another it may differ.
        if note is not None and note.url != chosen.url and note.fleet != TeamReader(connection).head()[0]:
            note = None
        found = verify_team_ledger(connection, note, progress("verified"))
    if as_json:
        print_json(_verdict_document(found))
    else:
        typer.echo("\n".join(_verdict_lines(found)))
        for line in _limits_of(found):
            typer.echo(line, err=True)
    return 1 if found.broken else 0


def _verdict_lines(found: TeamVerification) -> list[str]:
    if found.broken:
        return [printable(f"broken at {found.broken.seq}: {found.broken.what}")]
    gaps = f"; {found.missing} of them are missing and counted" if found.missing else ""
    count = len(found.machines)
    return [
        f"verified: {found.entries} entries of {plural(count, 'machine')}{gaps}",
        *(f"  {printable(name)}: {number} entries" for name, number in sorted(found.machines.items())),
        *([f"signed on machines: {found.checkpoints} checkpoints are correct"] if found.checkpoints else []),
        *([f"this machine remembers entry {found.witnessed}, unchanged"] if found.witnessed else []),
        f"head: {found.head.seq} {found.head.hash.hex()}",
    ]


def _limits_of(found: TeamVerification) -> list[str]:
    """What this check cannot find out."""
    if found.broken:
        return []
    if found.witnessed:
        return [
            f"only the machines that sent them can tell whether entries after {found.head.seq} were removed."
        ]
    what = "whether all of it was rewritten or its end removed cannot be known"
    return [f"this machine has shipped nothing here, so {what}: run it on a machine that ships."]


def _verdict_document(found: TeamVerification) -> JsonObject:
    return {
        "verified": found.broken is None,
        "entries": found.entries,
        "fleet": found.fleet,
        "head": {"seq": found.head.seq, "hash": found.head.hash.hex()},
        "machines": found.machines,
        "missing": found.missing,
        "checkpoints": found.checkpoints,
        "witnessed": found.witnessed,
        "broken": {"seq": found.broken.seq, "what": found.broken.what} if found.broken else None,
        "unknown": _limits_of(found),
    }


def add(app: typer.Typer) -> None:
    about = "The ledger of all your machines, in one Postgres."
    team = make_group(make_group(app, "ledger"), "team", about)
    team.add_typer(views)
    team.add_typer(proof)


_WHAT = "team ledger"
_SEE = "interlock ledger team status"


def checks(context: DoctorContext) -> Iterator[Check]:
    """Check shipping; yield nothing without a team ledger, since most people have one machine."""
    try:
        fleet = own_team_ledger()
    except InterlockError:
        return  # the policy check reports it
    if fleet is None:
        return
    if not installed():
        yield fail(_WHAT, "the Postgres driver is not installed", f"{INSTALL} && interlock daemon restart")
        return
    found = status(context.places)
    shipping = found.get("team_ledger") if found else None
    if shipping is None:
        yield warn(_WHAT, f"the daemon has not started to send entries to {fleet.place}", _SEE)
    elif shipping["state"] == "stopped":
        yield fail(_WHAT, shipping["summary"], _SEE)
    elif shipping["state"] == "trouble":
        yield warn(_WHAT, shipping["summary"], _SEE)
    else:
        yield ok(_WHAT, shipping["summary"])
