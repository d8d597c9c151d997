"""Where `schema_guard` and `schema_hint` take the shapes of tools from, as policies write it."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.build_context import Making
from interlock.builtin_hooks.schemas.json_schema import SchemaError, compiled
from interlock.builtin_hooks.schemas.learned import Learned
from interlock.builtin_hooks.schemas.lookup import SchemaBook
from interlock.builtin_hooks.schemas.mcp_lists import ToolLists, list_paths
from interlock.builtin_hooks.schemas.required_fields import Shape
from interlock.builtin_hooks.schemas.universal_agent import TABLES
from interlock.builtin_hooks.state import Memory, MemoryInProcess

_Text = Annotated[str, Meta(min_length=1)]
LEAST_CALLS: Final = 5


class SchemaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shapes of tools."""

    tools: Annotated[
        dict[str, Shape],
        Meta(
            description="By name, in any case, or by its last words: `write_file` is `mcp__fs__write_file`."
        ),
    ] = {}
    tables: Annotated[
        tuple[Literal["universal_agent"], ...], Meta(description="Shapes we ship, looked at after `tools`.")
    ] = ()
    tool_lists: Annotated[
        dict[str, _Text],
        Meta(description="By MCP server: a file with its answer to `tools/list`."),
    ] = {}


def written_shapes(options: SchemaOptions) -> dict[str, Shape]:
    """Those of the policy and of the tables it names."""
    shipped = {name: shape for table in options.tables for name, shape in TABLES[table].items()}
    return {**shipped, **{name.lower(): shape for name, shape in options.tools.items()}}


def book_of(options: SchemaOptions, making: Making, learned: Learned | None) -> SchemaBook | None:
    """The shapes, ready to ask; None when a problem was noted."""
    for name, shape in options.tools.items():
        if shape == Shape():
            making.problem(("tools", name), "this asks nothing of a call; write `required` or `schema`")
            return None
        try:
            if shape.schema:
                compiled(shape.schema)
        except SchemaError as error:
            making.problem(("tools", name, "schema"), f"no JSON Schema that can be used: {error}")
            return None
    paths = list_paths(options.tool_lists, making)
    return None if paths is None else SchemaBook(written_shapes(options), ToolLists(paths), learned)


def learned_of(making: Making) -> Learned:
    """What calls have taught, kept with what hooks remember; a trial learns for itself alone."""
    lent = making.lent.memory
    memory: Memory = MemoryInProcess() if making.trial or lent is None else lent
    return Learned(memory, LEAST_CALLS)
