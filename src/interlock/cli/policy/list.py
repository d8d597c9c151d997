"""`interlock hooks list`: the effective pipeline and where each hook comes from."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import columns, short
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, load
from interlock.policy.policy import pipeline_rows


def list_hooks(
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the pipeline as JSON.")] = False,
) -> int:
    """Print every hook in the order it runs, with its layer, file and line."""
    policy = load(config or [], isolated=isolated)
    rows = [msgspec.to_builtins(row) for row in pipeline_rows(policy.hooks)]
    if as_json:
        print_json({"revision": policy.revision, "hooks": rows})
    elif rows:
        cells = [[_cell(name, row[name]) for name in _SHOWN] for row in rows]
        typer.echo("\n".join(columns([[name.upper() for name in _SHOWN], *cells])))
    else:
        typer.echo("no hooks; `interlock init` writes a starter policy")
    return 0


_SHOWN = ("order", "layer", "events", "hook", "type", "matcher", "flags", "source")


def _cell(name: str, value: object) -> str:
    if isinstance(value, list):
        return ",".join(value) or "-"
    return short(str(value)) if name == "matcher" else str(value)
