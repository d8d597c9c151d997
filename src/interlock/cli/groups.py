"""Groups of commands: how one is made, and what a wrong word in one is answered."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from interlock.errors import InterlockError
from interlock.policy.files.words import hint


class Group(TyperGroup):
    """Answers a word that is none of its commands with the nearest one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        word = args[0]
        if not word.startswith("-") and self.get_command(ctx, word) is None and not ctx.resilient_parsing:
            raise InterlockError(f"`{ctx.command_path}` has no command `{word}`; {hint(word, self.commands)}")
        return super().resolve_command(ctx, args)


def group(about: str) -> typer.Typer:
    """A group of commands that prints its help when no command is named."""
    return typer.Typer(cls=Group, help=about, no_args_is_help=True)


def group_named(app: typer.Typer, name: str, about: str = "") -> typer.Typer:
    """The group of this name; it is made where nobody has made it yet."""
    for found in app.registered_groups:
        if found.name == name and found.typer_instance is not None:
            return found.typer_instance
    made = group(about)
    app.add_typer(made, name=name)
    return made
