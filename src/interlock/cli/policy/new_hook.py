"""`interlock hooks new`: a plugin to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable
from interlock.cli.policy.plugin_template import plugin_files
from interlock.errors import InterlockError


def new_hook(
    name: Annotated[
        str, typer.Argument(help="The type that policies will write: `acme.deploy_hint`.", show_default=False)
    ],
    folder: Annotated[
        Path | None, typer.Option("--dir", help="Where to write it; default: a new folder here.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> int:
    """Write a plugin with one hook to start from.

    It has an entry point and a test that passes.
    """
    files = plugin_files(name)
    target = folder or Path(name.replace(".", "-").replace("_", "-"))
    taken = next((target / place for place in files if (target / place).exists()), None)
    if taken is not None:
        raise InterlockError(f"`{taken}` already exists; choose another folder with --dir")
    try:
        for place, text in files.items():
            (target / place).parent.mkdir(parents=True, exist_ok=True)
            (target / place).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "it cannot be written").lower()
        raise InterlockError(
            f"cannot write to `{target}`: {reason}; choose another folder with --dir"
        ) from error
    if as_json:
        print_json({"folder": str(target), "files": [str(target / place) for place in files]})
        return 0
    typer.echo("\n".join(printable(f"wrote {target / place}") for place in files))
    typer.echo(printable(f"try: cd {target} && python -m pytest"))
    typer.echo("install it beside Interlock (`pip install -e .`), then `interlock hooks catalog` lists it")
    return 0
