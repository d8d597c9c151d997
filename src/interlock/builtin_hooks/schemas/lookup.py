"""Finds the shape of a tool's input: written in the policy, from a table, from an MCP list, or learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from interlock.builtin_hooks.schemas.shapes import (
    TABLES,
    SchemaError,
    Shape,
    ToolLists,
    compile_schema,
    example_call,
    find_faults,
    list_paths,
    missing_fields,
    repair,
)
from interlock.events.bounded_dict import BoundedDict
from interlock.events.tool import JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, Memory, OptionError, memory_of

if TYPE_CHECKING:
    from jsonschema_rs import Validator

_EVERY_SESSION: Final = "tools"  # in place of a session id: what is learned holds for all sessions
_MOST_FIELDS: Final = 32
_LEAST: Final = 5  # calls before it gives advice
_ENOUGH: Final = 20  # calls; after that it learns only from a call that lacks a known field
_TYPES: Final = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


class LearnedShapes:
    """The fields that all calls of a tool had so far. They are only used for advice."""

    def __init__(self, memory: Memory) -> None:
        self._memory: Final = memory
        self._shapes: Final[dict[str, tuple[dict[str, str], Shape]]] = {}

    def learn(self, call: ToolCall) -> None:
        if not call.input or len(call.input) > _MOST_FIELDS:
            return
        calls, fields = self._load(call.name)
        types = {field: _TYPES.get(type(value), "null") for field, value in call.input.items()}
        if calls >= _ENOUGH and all(field in types for field in fields):
            return
        common = {
            field: kind if kind == types[field] else ""
            for field, kind in (fields if calls else types).items()
            if field in types
        }
        self._memory.put(_EVERY_SESSION, _memory_key(call.name), {"calls": calls + 1, "fields": common})

    def find(self, name: str) -> Shape | None:
        """The shape that all calls had; None before there were enough of them."""
        calls, fields = self._load(name)
        if calls < _LEAST or not fields:
            return None
        known = self._shapes.get(name)
        if known is not None and known[0] == fields:
            return known[1]  # the same object again, so that it is compiled once
        properties: dict[str, Any] = {
            field: {"type": kind} if kind else {} for field, kind in fields.items() if kind != "null"
        }
        shape = Shape(schema={"type": "object", "properties": properties, "required": list(properties)})
        self._shapes[name] = (fields, shape)
        return shape

    def _load(self, name: str) -> tuple[int, dict[str, str]]:
        """How many calls there were, and the type of each field that all of them had."""
        stored = self._memory.get(_EVERY_SESSION, _memory_key(name))
        return int(stored.get("calls", 0)), dict(stored.get("fields", {}))


def _memory_key(name: str) -> str:
    return f"schema:{name}"


class KnownShape(msgspec.Struct, frozen=True, kw_only=True):
    """The shape of one tool, and where it comes from."""

    shape: Shape
    learned: bool = False  # nobody wrote it down, so it is only used for advice


class SchemaOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The shapes of tools that somebody wrote down."""

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


_REMEMBERED: Final = 256  # compiled schemas


class SchemaIndex:
    """Looks up the shapes of tools, and compares calls with them."""

    def __init__(self, options: SchemaOptions, context: BuildContext, *, learn: bool) -> None:
        _check(options)
        shipped = {name: shape for table in options.tables for name, shape in TABLES[table].items()}
        self._written: Final = {name.lower(): shape for name, shape in (shipped | options.tools).items()}
        self._suffixes: Final = sorted(self._written, key=len, reverse=True)
        self._lists: Final = ToolLists(list_paths(options.tool_lists, context))
        self._learned: Final = LearnedShapes(memory_of(context)) if learn else None
        # By the id of the shape, which is kept with it so that no other shape gets the same id.
        self._compiled: Final[BoundedDict[int, tuple[Shape, Validator | None]]] = BoundedDict(_REMEMBERED)

    def find(self, name: str) -> KnownShape | None:
        """The shape of a tool; None if it has none, so that any call fits."""
        shape = self._find_written(name.lower()) or self._find_written(STANDARD_TOOLS.canonical(name).lower())
        shape = shape or self._lists.find(name)
        if shape is not None:
            return KnownShape(shape=shape)
        shape = self._learned.find(name) if self._learned else None
        return KnownShape(shape=shape, learned=True) if shape else None

    def names(self) -> list[str]:
        """Every tool whose shape somebody wrote down."""
        return [*self._written, *self._lists.names()]

    def repair(self, known: KnownShape, fields: JsonObject) -> JsonObject | None:
        """The repaired input; None if there is nothing that can be repaired without loss."""
        return repair(known.shape.schema, fields) if known.shape.schema else None

    def learn(self, call: ToolCall) -> None:
        """Learn from a call that went well, unless the shape of its tool is written down."""
        known = self.find(call.name) if self._learned else None
        if self._learned and (known is None or known.learned):
            self._learned.learn(call)

    def find_objection(self, tool: str, known: KnownShape, fields: JsonObject) -> str | None:
        """What is wrong with a call, and an example of one that fits; None if nothing is wrong."""
        missing, faults = missing_fields(known.shape, fields), list[str]()
        validator = self._validator(known.shape)
        try:
            if validator is not None and not validator.is_valid(fields):
                more, faults = find_faults(validator, fields)
                missing += [name for name in more if name not in missing]
        except ValueError:  # a Python agent may pass any object
            faults = ["the call contains something that is not JSON"]
        if not missing and not faults:
            return None
        sentences = [f"Invalid {tool} call."]
        sentences += [f"Missing required fields: {', '.join(missing)}."] if missing else []
        sentences += [f"Wrong: {'; '.join(faults)}."] if faults else []
        example = example_call(known.shape)
        return " ".join([*sentences, f"Example: {example}"] if example else sentences)

    def _find_written(self, name: str) -> Shape | None:
        """By the whole name, else by its last words: `mcp__fs__write` is a `write`, `todowrite` is not."""
        exact = self._written.get(name)
        if exact is not None:
            return exact
        return next(
            (
                self._written[suffix]
                for suffix in self._suffixes
                if name.endswith(suffix) and not name[: -len(suffix)][-1:].isalnum()
            ),
            None,
        )

    def _validator(self, shape: Shape) -> Validator | None:
        if not shape.schema:
            return None
        known = self._compiled.get(id(shape))
        if known is None or known[0] is not shape:
            known = shape, _compile(shape)
            self._compiled[id(shape)] = known
        return known[1]


def _compile(shape: Shape) -> Validator | None:
    """None for a schema of a server that cannot be used: any call then fits."""
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
