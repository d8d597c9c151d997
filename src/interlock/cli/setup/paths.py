"""`interlock paths`: where everything is."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import columns
from interlock.cli.policy_source import here

_NAMES = ("user_config", "project_config", "state", "database", "socket", "log")


def paths(as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False) -> int:
    """See where Interlock keeps its files."""
    found = here()
    rows = {name: str(getattr(found, name)) for name in (*_NAMES, "managed_config")}
    if as_json:
        print_json(rows)
    else:
        typer.echo("\n".join(columns(list(rows.items()))))
    return 0
