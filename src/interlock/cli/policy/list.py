"""`interlock hooks list`: the effective pipeline and where each hook comes from."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import screen_width, table
from interlock.cli.policy_source import CONFIG_HELP, ISOLATED_HELP, load
from interlock.policy.policy import pipeline_rows


def list_hooks(
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the pipeline as JSON.")] = False,
) -> int:
    """List the hooks in the order they run.

    Each comes with its layer, file and line.
    """
    policy = load(config or [], isolated=isolated)
    rows = [msgspec.to_builtins(row) for row in pipeline_rows(policy.hooks)]
    if as_json:
        print_json({"revision": policy.revision, "hooks": rows})
    elif rows:
        cells = [[_cell(row[name]) for name in _SHOWN] for row in rows]
        if screen_width() is not None:  # the folder is the same for most of them, and takes the room
            cells = [[*cell, source.rpartition("/")[2]] for *cell, source in cells]
        typer.echo("\n".join(table(_SHOWN, cells, cut=_CUT)))
    else:
        typer.echo("No hooks. `interlock setup` writes a starter policy.")
    return 0


_SHOWN = ("order", "layer", "events", "hook", "type", "matcher", "flags", "source")
_CUT: Final = {2: 6, 3: 10, 4: 6, 5: 6}


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ",".join(value) or "-"
    return str(value)
