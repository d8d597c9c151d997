"""Groups of commands that several features add to."""

from __future__ import annotations

import typer


def group_named(app: typer.Typer, name: str, about: str = "") -> typer.Typer:
    """The group of this name; it is made where nobody has made it yet."""
    for found in app.registered_groups:
        if found.name == name and found.typer_instance is not None:
            return found.typer_instance
    made = typer.Typer(help=about, no_args_is_help=True)
    app.add_typer(made, name=name)
    return made
