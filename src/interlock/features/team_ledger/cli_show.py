"""`interlock ledger team status`, `tail`, `list` and `show`: seeing what all machines recorded."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import typer

from interlock.cli.ledger import (
    ActorOption,
    BeforeOption,
    DecisionOption,
    JsonOption,
    JsonResult,
    LimitOption,
    OpOption,
    SessionOption,
    ToolOption,
    filter_of,
    say_older,
)
from interlock.cli.ledger import follow as follow_entries
from interlock.cli.output import columns, print_json, printable, screen_width, table
from interlock.cli.policy_source import here
from interlock.cli.words import SinceOption, UntilOption
from interlock.daemon.launcher import status as daemon_status
from interlock.daemon.paths import places_of
from interlock.errors import InterlockError, TeamLedgerError
from interlock.events.hook import Layer
from interlock.features.team_ledger.postgres import connect
from interlock.features.team_ledger.reader import MachineRow, TeamEntry, TeamFilter, TeamReader
from interlock.features.team_ledger.settings import TEAM_LEDGER, TeamLedger, postgres_fault, this_machine
from interlock.ledger.entry import Head
from interlock.ledger.reader import Filter
from interlock.policy.load import load_policy

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres import Connection

_HEADER: Final = ("seq", "machine", "time", "received", "actor", "session", "op", "event", "tool", "decision")
_TIMES: Final = (2, 3)
_CUT: Final = {1: 6, 3: 8, 4: 8, 5: 5, 7: 6, 8: 4}
_MACHINES: Final = ("machine", "entries", "missing", "last entry", "received", "role", "ledger")


def _cells(entry: TeamEntry) -> list[str]:
    op = f"{entry.op} of {entry.missing}" if entry.missing else entry.op
    optional = [value or "-" for value in (entry.event, entry.tool, entry.decision)]
    session = entry.session_id or "-"
    return [str(entry.seq), entry.machine, entry.ts, entry.received, entry.actor, session, op, *optional]


def _entry_table(entries: Sequence[TeamEntry]) -> list[str]:
    rows = [_cells(entry) for entry in entries]
    if screen_width() is not None:
        for row in rows:
            for at in _TIMES:
                row[at] = f"{row[at][:19]}Z"
    return table(_HEADER, rows, cut=_CUT)


def _entry_details(entry: TeamEntry) -> list[str]:
    known = {key: value for key, value in entry.document.items() if key != "body"}
    shown = json.dumps(entry.body, indent=2, ensure_ascii=True).splitlines()
    return [*columns([(key, str(value)) for key, value in known.items()]), "body", *map(printable, shown)]


def _machine_table(rows: Sequence[MachineRow]) -> list[str]:
    cells = []
    for row in rows:
        counts = map(str, (row.entries, row.missing, row.machine_seq))
        cells.append((row.machine, *counts, row.last_received, row.role, row.ledger[:8]))
    return table(_MACHINES, cells, cut={0: 8, 4: 10})


UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="ADDRESS",
        help="Use this address instead of the policy's, such as a reader's or the owner's.",
    ),
]
_NOT_CONFIGURED: Final = (
    "the policy names no team ledger; write `settings: {team_ledger: {url: postgresql://role@host/database}}`"
)


def own_team_ledger() -> TeamLedger | None:
    """Return the team ledger that the managed or the user's policy names."""
    files = [file for file in here().policies() if file[0] <= Layer.USER]
    return TEAM_LEDGER.get(load_policy(files, environ=os.environ))


def chosen_team_ledger(url: str | None) -> TeamLedger:
    """Return the team ledger given on the command line, else the policy's."""
    if url is None:
        found = own_team_ledger()
        if found is None:
            raise InterlockError(_NOT_CONFIGURED)
        return found
    if fault := postgres_fault(url):
        # Anybody who lists processes can read the command line, so a password is refused here too.
        raise InterlockError(f"--url: {fault.replace('`password_file`', 'PGPASSFILE')}")
    return TeamLedger(url=url, machine=this_machine())


@contextmanager
def connected(found: TeamLedger) -> Iterator[Connection]:
    with closing(connect(found, os.environ)) as connection:
        yield connection


views = typer.Typer()
_POLL_SECONDS: Final = 1.0
MachineOption = Annotated[str | None, typer.Option(help="Only this machine.")]


@views.command(epilog="Example: interlock ledger team status --json")
def status(url: UrlOption = None, as_json: JsonResult = False) -> int:
    """See whether shipping works and what has arrived.

    Exit 1 when the team ledger cannot be reached.
    """
    chosen = chosen_team_ledger(url)
    running = daemon_status(places_of(here())) if url is None else None
    shipping = running.get("team_ledger") if running else None
    found = error = None
    try:
        with connected(chosen) as connection:
            reader = TeamReader(connection)
            found = (*reader.head(), reader.machines())
    except TeamLedgerError as problem:
        error = str(problem)
    if as_json:
        print_json(_status_document(chosen, shipping, found, error))
        return 1 if error else 0
    if shipping is not None:
        typer.echo(printable(f"this machine ships {shipping['summary']}"))
    if error is not None:
        typer.echo(printable(error), err=True)
        return 1
    if found is not None:
        name, head, machines = found
        typer.echo(printable(f"team ledger {name[:8]} at {chosen.place}: {head.seq} entries"))
        typer.echo("\n".join(_machine_table(machines)) if machines else "no machine has shipped yet")
    return 0


def _status_document(
    chosen: TeamLedger,
    shipping: dict[str, Any] | None,
    found: tuple[str, Head, list[MachineRow]] | None,
    error: str | None,
) -> dict[str, Any]:
    name, head, machines = found or (None, Head(0, b""), [])
    return {
        "place": chosen.place,
        "shipping": shipping,
        "fleet": name,
        "entries": head.seq,
        "machines": msgspec.to_builtins(machines),
        "error": error,
    }


@views.command(epilog="Example: interlock ledger team tail -n 20 --follow --decision deny")
def tail(
    count: Annotated[
        int, typer.Option("-n", "--lines", min=0, max=10_000, help="Show this many entries.")
    ] = 20,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Continue with entries as they arrive.")
    ] = False,
    machine: MachineOption = None,
    session: SessionOption = None,
    actor: ActorOption = None,
    tool: ToolOption = None,
    decision: DecisionOption = None,
    op: OpOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> int:
    """Print the last entries of all machines."""
    wanted = _filter(machine, filter_of(session, actor, tool, decision, None, op, since, until))
    with connected(chosen_team_ledger(url)) as connection:
        reader = TeamReader(connection)
        seen = reader.head()[1].seq
        entries = reader.page(wanted, limit=count, before=seen + 1)[::-1] if count else []
        for entry in follow_entries(entries, seen, reader.after, _POLL_SECONDS) if follow else entries:
            if wanted.fits(entry):
                _print_line(entry, as_json=as_json)
    return 0


def _print_line(entry: TeamEntry, *, as_json: bool) -> None:
    if as_json:
        print_json(entry.document)
    else:
        typer.echo(printable("  ".join(_cells(entry))))


@views.command(
    "list", epilog="Example: interlock ledger team list --machine laptop --decision deny --since 3d"
)
def list_entries(
    machine: MachineOption = None,
    session: SessionOption = None,
    actor: ActorOption = None,
    tool: ToolOption = None,
    decision: DecisionOption = None,
    op: OpOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    limit: LimitOption = 50,
    before: BeforeOption = None,
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> int:
    """List entries of all machines, newest first.

    --since and --until compare the machines' own times.
    """
    wanted = _filter(machine, filter_of(session, actor, tool, decision, None, op, since, until))
    with connected(chosen_team_ledger(url)) as connection:
        entries = TeamReader(connection).page(wanted, limit=limit, before=before)
    if as_json:
        for entry in entries:
            print_json(entry.document)
        return 0
    typer.echo("\n".join(_entry_table(entries)) if entries else "no entries")
    say_older(entries, limit)
    return 0


@views.command(epilog="Example: interlock ledger team show 17")
def show(
    seq: Annotated[int, typer.Argument(min=1, metavar="SEQ", help="The entry's number in the team ledger.")],
    url: UrlOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show one entry in full."""
    with connected(chosen_team_ledger(url)) as connection:
        entry = TeamReader(connection).at(seq)
    if entry is None:
        raise InterlockError(f"there is no entry `{seq}`; `interlock ledger team list` lists them")
    if as_json:
        print_json(entry.document)
    else:
        typer.echo("\n".join(_entry_details(entry)))
    return 0


def _filter(machine: str | None, wanted: Filter) -> TeamFilter:
    return TeamFilter(**msgspec.structs.asdict(wanted), machine=machine)
