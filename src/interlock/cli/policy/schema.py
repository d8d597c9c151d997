"""`interlock schema`: the shape of policy files, for editors."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
import typer

from interlock.cli.added_commands import add_features_here
from interlock.policy.compile.hook_catalog import plugin_kinds
from interlock.policy.format.json_schema import genesis_schema, hooks_schema


class Kind(StrEnum):
    """Which policy file."""

    GENESIS = "genesis"
    HOOKS = "hooks"


def schema(kind: Annotated[Kind, typer.Argument(help="genesis.key or hooks.toml.")] = Kind.GENESIS) -> int:
    """Print the JSON Schema of a policy file.

    An editor can use it to complete and check the file.
    """
    add_features_here()
    # An editor should know the hooks of this installation's plugins, too.
    more = [one.type for one in plugin_kinds() if one.problem is None]
    document = genesis_schema(more) if kind is Kind.GENESIS else hooks_schema()
    typer.echo(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())
    return 0
