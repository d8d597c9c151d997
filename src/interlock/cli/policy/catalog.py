"""`interlock hooks catalog`: the kinds of hooks there are."""

from __future__ import annotations

import textwrap
from typing import Annotated, Final

import typer

from interlock.cli.json_output import print_json
from interlock.cli.output import printable, screen_width, table
from interlock.errors import InterlockError
from interlock.policy.compile.hook_catalog import Kind, kinds, options_of, places_of_kind
from interlock.policy.files.words import hint

_LEAST: Final = 24  # characters of a sentence to a line; fewer are hard to read


def catalog(
    name: Annotated[str | None, typer.Argument(help="One kind, with its options.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the kinds as JSON.")] = False,
) -> int:
    """List the kinds of hooks, or the options of one.

    Kinds that plugins bring are listed, too.
    """
    found = kinds()
    if name is not None:
        return _one(name, found, as_json=as_json)
    if as_json:
        print_json({"hooks": found})
        return 0
    rows = [[kind.type, kind.origin, kind.problem or kind.about] for kind in found]
    typer.echo("\n".join(table(("type", "from", "about"), rows, wrap=2)))
    return 0


def _folded(text: str, width: int) -> list[str]:
    return textwrap.wrap(printable(text), max(width, _LEAST)) or [""]


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
    typer.echo(f"runs at: {', '.join(places) or 'any moment'}")
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
        typer.echo("\n".join(_options(rows, screen_width())))
    else:
        typer.echo("It has no options.")
    return 0


def _options(rows: list[list[str]], width: int | None) -> list[str]:
    """A table, or on a screen a paragraph for each: some defaults are long."""
    if width is None:
        return table(("option", "type", "default", "about"), rows)
    lines = []
    for name, kind, default, about in rows:
        texts = (about, kind, default if default == "must be given" else f"default: {default}")
        below = [line for text in texts for line in _folded(text, width - 4)]
        lines += [printable(name), *(f"    {line}" for line in below)]
    return lines
