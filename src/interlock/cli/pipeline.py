"""`interlock hooks list`: the effective pipeline and where each hook comes from."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from interlock.cli.document import print_json
from interlock.cli.loading import CONFIG_HELP, ISOLATED_HELP, load
from interlock.cli.terminal import columns, short
from interlock.failure import can_fail_open
from interlock.hooks import Hook


def list_hooks(
    config: Annotated[list[str] | None, typer.Option(help=CONFIG_HELP)] = None,
    isolated: Annotated[bool, typer.Option("--isolated", help=ISOLATED_HELP)] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the pipeline as JSON.")] = False,
) -> int:
    """Print every hook in the order it runs, with its layer, file and line."""
    policy = load(config or [], isolated=isolated)
    rows = [_row(number, hook) for number, hook in enumerate(policy.hooks, start=1)]
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


def _row(number: int, hook: Hook) -> dict[str, Any]:
    return {
        "order": number,
        "layer": str(hook.source.layer),
        "events": list(hook.events),
        "hook": hook.name,
        "type": hook.handler.kind,
        "matcher": hook.matcher.text,
        "if": hook.condition.text if hook.condition else None,
        "timeout": hook.timeout,
        "flags": _flags(hook),
        "source": str(hook.source),
    }


def _flags(hook: Hook) -> list[str]:
    flags = ["if"] if hook.condition else []
    flags += [name for name in ("shadow", "once", "observe", "auto_approve") if getattr(hook, name)]
    return [*flags, "can fail open"] if can_fail_open(hook) else flags
