"""`interlock ledger`: see, verify and keep what was recorded."""

from __future__ import annotations

from typing import Any

import typer

from interlock.cli.groups import Group
from interlock.cli.people_only import require_person
from interlock.features.ledger_tools.cli_maintenance import importing, pruning, repairing
from interlock.features.ledger_tools.cli_proof import files, proof
from interlock.features.ledger_tools.cli_show import searching, seeing
from interlock.features.ledger_tools.cli_stats import auditing, counting


class _LedgerGroup(Group):
    """Still takes `ledger fleet` for `ledger team`."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return super().get_command(ctx, "team" if cmd_name == "fleet" else cmd_name)


ledger = typer.Typer(cls=_LedgerGroup, help="See and verify what was recorded.", no_args_is_help=True)


@ledger.callback()
def for_people() -> None:
    """See and verify what was recorded."""
    require_person("ledger")


def add(app: typer.Typer) -> None:
    """Give the program its commands about the ledger."""
    for part in (seeing, searching, counting, auditing, proof, files, importing, pruning, repairing):
        ledger.add_typer(part)
    app.add_typer(ledger, name="ledger")
