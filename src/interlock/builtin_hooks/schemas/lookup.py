"""Which shape a tool has: written in the policy, from a table, from an MCP list, or learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from interlock.builtin_hooks.schemas.shapes import (
    TABLES,
    SchemaError,
    Shape,
    ToolLists,
    compile_schema,
    example_of,
    find_faults,
    list_paths,
    missing_fields,
    repair,
)
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Memory, OptionError, memory_of

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_PLACE: Final = "tools"  # in place of a session: what is learned holds for all of them
_MOST_FIELDS: Final = 32
_LEAST: Final = 5  # calls before it advises
_ENOUGH: Final = 20  # calls, after which only a call that differs teaches anything
_TYPES: Final = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


class LearnedShapes:
    """Shapes by tool, kept where hooks remember; they only ever advise."""

    def __init__(self, memory: Memory) -> None:
        self._memory: Final = memory
        self._shapes: Final[dict[str, tuple[dict[str, str], Shape]]] = {}  # one shape is compiled once

    def add(self, name: str, given: JsonObject) -> None:
        """Learn from a call."""
        if not given or len(given) > _MOST_FIELDS:
            return
        known = self._memory.get(_PLACE, _key(name))
        calls, fields = int(known.get("calls", 0)), dict(known.get("fields", {}))
        shown = {field: _TYPES.get(type(value), "null") for field, value in given.items()}
        if calls >= _ENOUGH and all(field in shown for field in fields):
            return
        before = fields if calls else shown  # only what every call had stays
        kept = {
            field: kind if kind == shown[field] else "" for field, kind in before.items() if field in shown
        }
        self._memory.put(_PLACE, _key(name), {"calls": calls + 1, "fields": kept})

    def find(self, name: str) -> Shape | None:
        """What every call had so far; None before there were enough."""
        known = self._memory.get(_PLACE, _key(name))
        if int(known.get("calls", 0)) < _LEAST or not known.get("fields"):
            return None
        fields: dict[str, str] = known["fields"]
        made = self._shapes.get(name)
        if made is not None and made[0] == fields:
            return made[1]
        properties: dict[str, Any] = {
            field: {"type": kind} if kind else {} for field, kind in fields.items() if kind != "null"
        }
        shape = Shape(schema={"type": "object", "properties": properties, "required": list(properties)})
        self._shapes[name] = (fields, shape)
        return shape


def _key(name: str) -> str:
    return f"schema:{name}"


class KnownShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of one tool, ready to ask."""

    shape: Shape
    learned: bool = False  # nobody wrote it, so it only advises


class SchemaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shapes of tools."""

    tools: Annotated[
        dict[str, Shape],
        about("By name, in any case, or by its last words: `write_file` is `mcp__fs__write_file`."),
    ] = {}
    tables: Annotated[
        tuple[Literal["universal_agent"], ...], about("Shapes shipped with Interlock, tried after `tools`.")
    ] = ()
    tool_lists: Annotated[
        dict[str, Text], about("By MCP server: a file with its answer to `tools/list`.")
    ] = {}


_KEPT: Final = 256


class SchemaIndex:
    """Looks shapes up, and compares calls with them."""

    def __init__(self, options: SchemaOptions, context: BuildContext, *, learn: bool) -> None:
        _check(options)
        shipped = {name: shape for table in options.tables for name, shape in TABLES[table].items()}
        self._written: Final = {name.lower(): shape for name, shape in (shipped | options.tools).items()}
        self._suffixes: Final = sorted(self._written, key=len, reverse=True)
        self._lists: Final = ToolLists(list_paths(options.tool_lists, context))
        # A trial learns for itself alone.
        self._learned: Final = LearnedShapes(memory_of(context)) if learn else None
        self._compiled: Final[dict[int, tuple[Shape, Validator | None]]] = {}

    def find(self, name: str) -> KnownShape | None:
        """The shape of a tool; None: nobody knows it, and any call is good."""
        shape = self._of_name(name.lower()) or self._of_name(STANDARD_TOOLS.canonical(name).lower())
        shape = shape or self._lists.find(name)
        if shape is not None:
            return KnownShape(shape=shape)
        shape = self._learned.find(name) if self._learned else None
        return KnownShape(shape=shape, learned=True) if shape else None

    def names(self) -> list[str]:
        """Every tool somebody described."""
        return [*self._written, *self._lists.names()]

    def repair(self, known: KnownShape, given: JsonObject) -> JsonObject | None:
        """The call as it was meant; None: there is nothing to put right without loss."""
        return repair(known.shape.schema, given) if known.shape.schema else None

    def learn(self, tool: ToolCall) -> None:
        """A call that went well teaches what its tool takes, where nobody wrote it."""
        known = self.find(tool.name) if self._learned else None
        if self._learned and (known is None or known.learned):
            self._learned.add(tool.name, tool.input)

    def objection(self, tool: str, known: KnownShape, given: JsonObject) -> str | None:
        """What is wrong with a call, in words for the agent, with a call that fits; None: it fits."""
        lacks, faults = missing_fields(known.shape, given), list[str]()
        validator = self._validator(known.shape)
        try:
            if validator is not None and not validator.is_valid(given):
                more, faults = find_faults(validator, given)
                lacks += [name for name in more if name not in lacks]
        except ValueError:  # a Python agent may hand over anything
            faults = ["the call contains something that is not JSON"]
        if not lacks and not faults:
            return None
        said = [f"Invalid {tool} call."]
        said += [f"Missing required fields: {', '.join(lacks)}."] if lacks else []
        said += [f"Wrong: {'; '.join(faults)}."] if faults else []
        example = example_of(known.shape)
        return " ".join([*said, f"Example: {example}"] if example else said)

    def _of_name(self, name: str) -> Shape | None:
        """By the whole name, else by its last words: `mcp__fs__write` is a `write`, `todowrite` is none."""
        exact = self._written.get(name)
        if exact is not None:
            return exact
        return next(
            (
                self._written[end]
                for end in self._suffixes
                if name.endswith(end) and not name[: -len(end)][-1:].isalnum()
            ),
            None,
        )

    def _validator(self, shape: Shape) -> Validator | None:
        if not shape.schema:
            return None
        known = self._compiled.get(id(shape))
        if known is None or known[0] is not shape:
            known = shape, _compile(shape)
            if len(self._compiled) >= _KEPT:
                self._compiled.clear()
            self._compiled[id(shape)] = known  # the shape is kept with it, so that its id stays its own
        return known[1]


def _compile(shape: Shape) -> Validator | None:
    """None for a schema of a server that cannot be used: its calls are then as good as any."""
    try:
        return compile_schema(shape.schema)
    except SchemaError:
        return None


def _check(options: SchemaOptions) -> None:
    for name, shape in options.tools.items():
        if shape == Shape():
            raise OptionError(("tools", name), "this checks nothing; write `required` or `schema`")
        try:
            if shape.schema:
                compile_schema(shape.schema)
        except SchemaError as error:
            raise OptionError(
                ("tools", name, "schema"), f"this is not a valid JSON Schema: {error}"
            ) from error
