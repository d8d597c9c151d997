"""How the commands of `interlock ledger team` reach the team ledger's Postgres."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from interlock.cli.policy_source import here
from interlock.errors import InterlockError
from interlock.events.source import Layer
from interlock.features.team_ledger.settings import TEAM_LEDGER, TeamLedger, postgres_fault, this_machine
from interlock.policy.load import load_policy

if TYPE_CHECKING:
    from interlock.features.team_ledger.postgres.connect import Connection

UrlOption = Annotated[
    str | None,
    typer.Option(
        "--url",
        metavar="ADDRESS",
        help="Another address than the policy's, such as a reader's or its owner's.",
    ),
]
_NOT_CONFIGURED: Final = (
    "the policy names no team ledger; write `settings: {team_ledger: {url: postgresql://role@host/database}}`"
)


def own_team_ledger() -> TeamLedger | None:
    """What the managed or the user's policy names."""
    files = [file for file in here().policies() if file[0] <= Layer.USER]
    return TEAM_LEDGER.of(load_policy(files, environ=os.environ))


def chosen_team_ledger(url: str | None) -> TeamLedger:
    """The team ledger a command speaks of: the one it was given, else the policy's."""
    if url is None:
        found = own_team_ledger()
        if found is None:
            raise InterlockError(_NOT_CONFIGURED)
        return found
    if fault := postgres_fault(url):
        # What is typed here is seen by whoever lists processes, so a password is refused here too.
        raise InterlockError(f"--url: {fault.replace('`password_file`', 'PGPASSFILE')}")
    return TeamLedger(url=url, machine=this_machine())


@contextmanager
def connected(found: TeamLedger) -> Iterator[Connection]:
    """A connection for as long as a command needs one."""
    from interlock.features.team_ledger.postgres.connect import connect  # noqa: PLC0415 - only these commands need it

    with closing(connect(found, os.environ)) as connection:
        yield connection
