"""`interlock hooks catalog`: the kinds of hooks there are."""

from __future__ import annotations

from typing import Annotated

import typer

from interlock.cli.document import print_json
from interlock.cli.terminal import columns, printable
from interlock.config.hook_catalog import Kind, kinds, options_of, places_of_kind
from interlock.config.words import hint
from interlock.errors import InterlockError


def catalog(
    name: Annotated[str | None, typer.Argument(help="One kind, with its options.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the kinds as JSON.")] = False,
) -> int:
    """Print every kind of hook a policy may name, plugins included, or the options of one."""
    found = kinds()
    if name is not None:
        return _one(name, found, as_json=as_json)
    if as_json:
        print_json({"hooks": found})
        return 0
    rows = [[kind.type, kind.origin, kind.problem or kind.about] for kind in found]
    typer.echo("\n".join(map(printable, columns([["TYPE", "FROM", "ABOUT"], *rows]))))
    return 0


def _one(name: str, found: list[Kind], *, as_json: bool) -> int:
    kind = next((one for one in found if one.type == name), None)
    if kind is None:
        raise InterlockError(f"there is no hook `{name}`; {hint(name, [one.type for one in found])}")
    if kind.problem:
        raise InterlockError(kind.problem)
    places, options = places_of_kind(name), options_of(name) or []
    if as_json:
        print_json({"type": name, "about": kind.about, "from": kind.origin, "at": places, "options": options})
        return 0
    typer.echo(printable(f"{name}: {kind.about}"))
    typer.echo(f"stands at: {', '.join(places) or 'any moment'}")
    rows = [
        [
            row.name,
            row.type.replace("`", ""),
            row.default or ("must be given" if row.required else "-"),
            row.about,
        ]
        for row in options
    ]
    if rows:
        typer.echo("")
        typer.echo("\n".join(map(printable, columns([["OPTION", "TYPE", "DEFAULT", "ABOUT"], *rows]))))
    else:
        typer.echo("it has no options")
    return 0
