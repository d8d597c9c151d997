"""`interlock ledger team init` and `verify`: setting the team ledger up, and checking it."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.ledger import JsonResult, progress
from interlock.cli.output import printable
from interlock.cli.policy_source import here
from interlock.features.team_ledger.cli_connect import UrlOption, chosen_team_ledger, connected
from interlock.features.team_ledger.cli_text import unknown_words, verdict_document, verdict_lines
from interlock.features.team_ledger.cursor import read_cursor
from interlock.features.team_ledger.postgres.migrations import grant, migrate_postgres, schema_version
from interlock.features.team_ledger.reader import TeamReader
from interlock.features.team_ledger.verify import verify_team_ledger

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
    """Make the team ledger in a database, or bring it up to this version; doing it again changes nothing."""
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
    typer.echo(
        printable(
            f"{'made' if 1 in done else 'updated' if done else 'nothing to do'}: {chosen.place}, schema {at}"
        )
    )
    for role in ship or ():
        typer.echo(printable(f"{role} may ship"))
    for role in read or ():
        typer.echo(printable(f"{role} may read"))
    return 0


@proof.command("verify", epilog="Example: interlock ledger team verify --json")
def verify_all(url: UrlOption = None, as_json: JsonResult = False) -> int:
    """Check its chain and each machine's in it: `verified: N entries`, or `broken at SEQ`, exit 1."""
    chosen = chosen_team_ledger(url)
    with connected(chosen) as connection:
        note = read_cursor(here().state)
        # At the address this machine ships to it must be the ledger it shipped to; elsewhere it may be any.
        if note is not None and note.url != chosen.url and note.fleet != TeamReader(connection).head()[0]:
            note = None
        found = verify_team_ledger(connection, note, progress("verified"))
    if as_json:
        print_json(verdict_document(found))
    else:
        typer.echo("\n".join(verdict_lines(found)))
        for line in unknown_words(found):
            typer.echo(line, err=True)
    return 1 if found.broken else 0
