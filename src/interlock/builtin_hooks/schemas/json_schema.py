"""JSON Schemas of tools: compiled without the network, asked what is wrong, and what can be put right."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from interlock.builtin_hooks.project_files import ParsedFiles, is_inside
from interlock.builtin_hooks.schemas.required_fields import Shape
from interlock.events.tool import JsonObject
from interlock.policy.hook_kind import BuildContext, OptionError

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

_MOST_ERRORS: Final = 8
_MOST_TEXT: Final = 256 * 1024  # characters of a field that are read as JSON
_EXACT: Final = 2**53
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "array": (list,),
    "object": (dict,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class SchemaError(ValueError):
    """A JSON Schema that cannot be used."""


def compile_schema(schema: JsonObject) -> Validator:
    """The schema, ready to ask; raise SchemaError."""
    import jsonschema_rs as rs

    try:
        return rs.validator_for(
            schema,
            retriever=_refuse,
            pattern_options=rs.RegexOptions(),  # linear, whatever the pattern
            validate_formats=False,
            mask="value",  # what a call holds may be a secret
        )
    except (ValueError, RecursionError) as error:
        raise SchemaError(str(error).partition("\n")[0]) from error


def find_faults(validator: Validator, given: JsonObject) -> tuple[list[str], list[str]]:
    """The fields that are missing, and what is wrong with those that are there."""
    errors = [error for error, _ in zip(validator.iter_errors(given), range(_MOST_ERRORS), strict=False)]
    lacks = [
        _field_name(error) for error in errors if error.kind.name == "required" and not error.instance_path
    ]
    return lacks, _fault_texts(
        error for error in errors if error.instance_path or error.kind.name != "required"
    )


def repair(schema: JsonObject, given: JsonObject) -> JsonObject | None:
    """The call with texts that are the JSON of what the schema wants in their place; None: nothing to do."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    changed = {
        name: value
        for name, text in given.items()
        if isinstance(text, str) and (value := _parse_text(text, properties.get(name))) is not None
    }
    return {**given, **changed} if changed else None


def _parse_text(text: str, schema: Any) -> Any:
    """What a text stands for, if nothing is lost by saying it so; None: it stays a text."""
    kinds = schema.get("type") if isinstance(schema, dict) else None
    wanted = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if not wanted or "string" in wanted or len(text) > _MOST_TEXT:
        return None
    try:
        value = _READER.decode(text)
        written = msgspec.json.encode(value).decode()  # half a character is a text no host can be sent
    except (ValueError, RecursionError):
        return None
    types = tuple(one for kind in wanted for one in _TYPES.get(kind, ()))
    fits = isinstance(value, types) and (not isinstance(value, bool) or bool in types)
    # `1.10` and `1e3` are numbers, but no longer what was written.
    same = isinstance(value, (list, dict)) or written == text.strip()
    return value if fits and same else None


def _unique_members(pairs: list[tuple[str, Any]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key appears twice")
    return made


def _read_integer(text: str) -> int:
    number = int(text)
    if abs(number) > _EXACT:
        raise ValueError("hosts that only have doubles would change it")
    return number


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or Decimal(text) != Decimal(repr(number)):
        raise ValueError("it does not fit a double")
    return number


def _refuse(what: str, /) -> Any:
    raise ValueError(f"`{what}` is not fetched; write it into the schema")


def _field_name(error: ValidationError) -> str:
    return str(getattr(error.kind, "property", "")) or "a field"


def _fault_texts(errors: Iterable[ValidationError]) -> list[str]:
    """One sentence per field and kind of mistake; the items of a list are named together."""
    places: dict[tuple[str, str], list[str]] = {}
    for error in errors:
        path = list(error.instance_path)
        place = next((n for n, part in enumerate(path) if isinstance(part, int)), None)
        field = ".".join(map(str, path[:place])) or "the call"
        rest = "".join(f".{part}" for part in path[place + 1 :]) if place is not None else ""
        told = f"{error.message} at `{rest[1:]}`" if rest else error.message
        items = places.setdefault((field, told), [])
        if place is not None:
            items.append(str(path[place]))
    return [
        f"`{field}` item{'s' * (len(items) > 1)} {', '.join(items)}: {text}"
        if items
        else f"`{field}`: {text}"
        for (field, text), items in places.items()
    ]


_READER: Final = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_constant=_refuse,
    parse_int=_read_integer,
    parse_float=_read_float,
)


class ToolLists:
    """One file per server, read again when it changes; a tool is called `mcp__SERVER__NAME`."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths: Final = {f"mcp__{server}__": path for server, path in paths.items()}
        self._parsed: Final = ParsedFiles(_read_shapes)

    def find(self, name: str) -> Shape | None:
        """The shape of a tool; None when no list has it."""
        for prefix, path in self._paths.items():
            if name.startswith(prefix):
                found = self._parsed.read(path)
                return found.get(name[len(prefix) :]) if found else None
        return None

    def names(self) -> list[str]:
        """Every tool of every list."""
        return [
            f"{prefix}{name}"
            for prefix, path in self._paths.items()
            for name in self._parsed.read(path) or ()
        ]


def list_paths(written: Mapping[str, str], context: BuildContext) -> dict[str, str]:
    """Where the files lie."""
    home, folder = context.environ.get("HOME", ""), context.folder
    paths: dict[str, str] = {}
    for server, path in written.items():
        if path.startswith("~/") and context.layer.trusted:
            paths |= {server: f"{home}/{path[2:]}"} if home else {}
        elif path.startswith("/") and context.layer.trusted:
            paths[server] = path
        elif folder is not None and is_inside(str(Path(folder, path)), str(folder)):
            paths[server] = str(Path(folder, path))
        else:
            text = (
                f"a policy cannot name the file `{path}`; write an absolute path, or one inside the project"
            )
            raise OptionError(("tool_lists", server), text)
    return paths


def _read_shapes(content: bytes) -> dict[str, Shape]:
    """The tools of one list, bare or as a JSON-RPC answer; what is not a list has none."""
    try:
        found: Any = msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return {}
    for word in ("result", "tools"):
        if isinstance(found, dict) and word in found:
            found = found[word]
    tools = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return {
        str(tool["name"]): Shape(schema=schema)
        for tool in tools
        if "name" in tool and isinstance(schema := tool.get("inputSchema", tool.get("input_schema")), dict)
    }
