"""`interlock ledger team`: the ledger of all your machines."""

from __future__ import annotations

import typer

from interlock.cli.groups import group_named
from interlock.features.team_ledger.cli_show import views
from interlock.features.team_ledger.cli_verify import proof


def add(app: typer.Typer) -> None:
    """Give `interlock ledger` the group about all machines."""
    about = "The ledger of all your machines, in one Postgres."
    team = group_named(group_named(app, "ledger"), "team", about)
    team.add_typer(views)
    team.add_typer(proof)
