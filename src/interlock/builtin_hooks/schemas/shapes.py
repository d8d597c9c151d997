"""What the input of a tool must look like: plain rules and JSON Schemas, and repairs that lose nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
from msgspec import Meta

from interlock.builtin_hooks.project_files import ParsedFiles, is_inside
from interlock.events.text import shorten
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.policy.format.entry import Text, about
from interlock.policy.hook_kind import BuildContext, OptionError

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

_LONGEST_EXAMPLE: Final = 1_000  # characters


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one tool takes: plain rules, a JSON Schema, or both."""

    required: Annotated[tuple[Text, ...], about("Fields that must be present and not empty.")] = ()
    required_any: Annotated[
        tuple[tuple[Text, ...], ...], about("Groups of fields; one group must be complete.")
    ] = ()
    min_length: Annotated[
        dict[str, Annotated[int, Meta(ge=1)]], about("The least characters or items a field has.")
    ] = {}
    schema: Annotated[dict[str, Any], about("A JSON Schema of the whole input.")] = {}
    example: Annotated[dict[str, Any], about("A call that works; shown to the agent.")] = {}


def missing_fields(shape: Shape, fields: JsonObject) -> list[str]:
    """What is missing in a call: `path`, `one_of:to|cc`, `content_too_short(min:10)`."""
    missing = [name for name in shape.required if _is_empty(fields.get(name))]
    groups = shape.required_any
    if groups and not any(all(not _is_empty(fields.get(name)) for name in group) for group in groups):
        missing.append("one_of:" + "|".join("+".join(group) for group in groups))
    return missing + [
        f"{name}_too_short(min:{least})"
        for name, least in shape.min_length.items()
        if name not in missing and _length(fields.get(name)) < least
    ]


def _is_empty(value: Any) -> bool:
    """Whether a text, list or object is empty; a number and `false` are not."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, (list, dict)) and not value)


def example_call(shape: Shape) -> str | None:
    """A call that fits, as JSON; made from the rules if no example is written."""
    example = shape.example or {
        **{name: f"<{name}>" for group in shape.required_any[:1] for name in group},
        **{name: f"<{name}>" for name in (*shape.min_length, *shape.required)},
        **_schema_example(shape.schema),
    }
    return shorten(msgspec.json.encode(example).decode(), _LONGEST_EXAMPLE) if example else None


def _length(value: Any) -> int:
    """A missing field is for `required` to report; a value without a length is long enough."""
    return len(value) if isinstance(value, (str, list, dict)) else 1 << 62


def _schema_example(schema: JsonObject) -> JsonObject:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return {}
    return {name: _sample(name, properties.get(name)) for name in required if isinstance(name, str)}


def _sample(name: str, schema: Any) -> Any:
    """An example of a value."""
    if not isinstance(schema, dict):
        return f"<{name}>"
    for keyword in ("const", "default"):
        if keyword in schema:
            return schema[keyword]
    for keyword in ("examples", "enum"):
        if isinstance(schema.get(keyword), list) and schema[keyword]:
            return schema[keyword][0]
    kind = schema.get("type")
    if kind == "object":
        return _schema_example(schema)
    if kind == "array":
        return [_sample("item", schema.get("items"))]
    return {"integer": 1, "number": 1.5, "boolean": True}.get(str(kind), f"<{name}>")


_MARKUP: Final = re.compile(r"[<>\"'=\s{}()]")
_TAG: Final = re.compile(r"</?[A-Za-z_:]*\s*/?>|</?[a-z_:]+\s")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.:-]*")
_ATTRIBUTES: Final = frozenset({"name", "invoke", "tool", "tool_name", "tool_use", "function", "parameter"})
_STRAY_SUFFIX: Final = "tools"
_LONGEST_NAME: Final = 200


def correct_name(name: str, described: Callable[[], Iterable[str]]) -> str | None:
    """The tool that a malformed name means, empty if that is unclear; None if the name is well formed."""
    has_markup, has_suffix = _MARKUP.search(name), name.lower().endswith(_STRAY_SUFFIX)
    if not has_markup and not has_suffix:
        return None
    known = {tool.lower(): tool for tool in (*described(), *STANDARD_TOOLS.known)}
    if name.lower() in known:
        return None
    if not has_markup:
        return known.get(name[: -len(_STRAY_SUFFIX)].rstrip("_-. ").lower())
    words = _WORD.findall(_TAG.sub(" ", name[:_LONGEST_NAME]))
    words = [word for word in words if word.lower() not in _ATTRIBUTES]
    return next((known[word.lower()] for word in words if word.lower() in known), (words or [""])[0])


def _list_shape(field: str, example: Any) -> Shape:
    """A tool that takes a list, which models often send as a string."""
    schema = {"properties": {field: {"type": "array"}}}
    return Shape(required=(field,), schema=schema, example={field: example})


def _file_shape(field: str, least: int) -> Shape:
    example = {field: "out/report.md", "content": "# Report\n\nThe whole text."}
    return Shape(required=(field, "content"), min_length={"content": least}, example=example)


def _required_shape(**example: Any) -> Shape:
    return Shape(required=tuple(example), example=example)


UNIVERSAL_AGENT: Final[dict[str, Shape]] = {
    "write": _file_shape("file_path", 10),
    "write_local_file": _file_shape("path", 10),
    "append_to_file": _file_shape("path", 10),
    "write_text_file": _file_shape("path", 1),
    "read_local_file": _required_shape(path="out/report.md"),
    "list_directory": _required_shape(path="out"),
    "upload_to_composio": _required_shape(
        path="out/report.pdf", tool_slug="GMAIL_SEND_EMAIL", toolkit_slug="gmail"
    ),
    "finalize_research": _required_shape(session_dir="out/session"),
    "crawl_parallel": Shape(
        required=("urls", "session_dir"),
        schema={"properties": {"urls": {"type": "array", "items": {"type": "string"}}}},
        example={"urls": ["https://example.org/a"], "session_dir": "out/session"},
    ),
    "ask_user_questions": _list_shape(
        "questions", [{"question": "Which year?", "options": ["2024", "2025"]}]
    ),
    "composio_multi_execute_tool": _list_shape("tools", [{"tool_slug": "GMAIL_SEND_EMAIL", "arguments": {}}]),
    "composio_search_tools": _list_shape("queries", [{"use_case": "send an email"}]),
    "composio_search_news": _required_shape(query="what happened today"),
    "composio_search_web": _required_shape(query="who wrote it"),
    "gmail_send_email": Shape(
        required=("subject", "body"),
        required_any=(("recipient_email",), ("to",)),
        example={"recipient_email": "a@example.org", "subject": "Report", "body": "Here it is."},
    ),
    "todowrite": _list_shape(
        "todos", [{"content": "Write it", "status": "pending", "activeForm": "Writing it"}]
    ),
}
TABLES: Final = {"universal_agent": UNIVERSAL_AGENT}


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
    """Compile a schema; raise SchemaError if it cannot be used."""
    import jsonschema_rs as rs

    try:
        return rs.validator_for(
            schema,
            retriever=_refuse,
            pattern_options=rs.RegexOptions(),  # linear, whatever the pattern
            validate_formats=False,
            mask="value",  # a value may be a secret
        )
    except (ValueError, RecursionError) as error:
        raise SchemaError(str(error).partition("\n")[0]) from error


def find_faults(validator: Validator, fields: JsonObject) -> tuple[list[str], list[str]]:
    """The fields that are missing, and what is wrong with those that are there."""
    errors = [error for error, _ in zip(validator.iter_errors(fields), range(_MOST_ERRORS), strict=False)]
    missing = [
        _field_name(error) for error in errors if error.kind.name == "required" and not error.instance_path
    ]
    return missing, _fault_texts(
        error for error in errors if error.instance_path or error.kind.name != "required"
    )


def repair(schema: JsonObject, fields: JsonObject) -> JsonObject | None:
    """The input with strings of JSON replaced by the values the schema wants; None if nothing changes."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return None
    changed = {
        name: value
        for name, text in fields.items()
        if isinstance(text, str) and (value := _parse_text(text, properties.get(name))) is not None
    }
    return {**fields, **changed} if changed else None


def _parse_text(text: str, schema: Any) -> Any:
    """The value in a string of JSON if the schema wants it and nothing is lost; None: it stays a string."""
    kinds = schema.get("type") if isinstance(schema, dict) else None
    wanted = [kinds] if isinstance(kinds, str) else kinds if isinstance(kinds, list) else []
    if not wanted or "string" in wanted or len(text) > _MOST_TEXT:
        return None
    try:
        value = _READER.decode(text)
        written = msgspec.json.encode(value).decode()  # refuses a lone surrogate, which no host can be sent
    except (ValueError, RecursionError):
        return None
    types = tuple(type_ for kind in wanted for type_ in _TYPES.get(kind, ()))
    fits = isinstance(value, types) and (not isinstance(value, bool) or bool in types)
    # `1.10` and `1e3` would be written differently as numbers.
    same = isinstance(value, (list, dict)) or written == text.strip()
    return value if fits and same else None


def _unique_members(pairs: list[tuple[str, Any]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key appears twice")
    return members


def _read_integer(text: str) -> int:
    number = int(text)
    if abs(number) > _EXACT:
        raise ValueError("a host that only has doubles would change it")
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
    """One phrase for each field and kind of mistake; the items of a list are named together."""
    places: dict[tuple[str, str], list[str]] = {}
    for error in errors:
        path = list(error.instance_path)
        index = next((n for n, part in enumerate(path) if isinstance(part, int)), None)
        field = ".".join(map(str, path[:index])) or "the call"
        rest = ".".join(map(str, path[index + 1 :])) if index is not None else ""
        items = places.setdefault((field, f"{error.message} at `{rest}`" if rest else error.message), [])
        if index is not None:
            items.append(str(path[index]))
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
                shapes = self._parsed.read(path)
                return shapes.get(name[len(prefix) :]) if shapes else None
        return None

    def names(self) -> list[str]:
        """Every tool of every list."""
        return [
            f"{prefix}{name}"
            for prefix, path in self._paths.items()
            for name in self._parsed.read(path) or ()
        ]


def list_paths(written: Mapping[str, str], context: BuildContext) -> dict[str, str]:
    """The path of each file; raise OptionError for one that this policy may not name."""
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
    """The tools of one list, which may stand in a JSON-RPC answer; none if it is not a list."""
    try:
        tools: Any = msgspec.json.decode(content)
    except (ValueError, RecursionError):
        return {}
    for key in ("result", "tools"):
        if isinstance(tools, dict) and key in tools:
            tools = tools[key]
    return {
        str(tool["name"]): Shape(schema=schema)
        for tool in (tools if isinstance(tools, list) else ())
        if isinstance(tool, dict) and "name" in tool
        if isinstance(schema := tool.get("inputSchema", tool.get("input_schema")), dict)
    }
