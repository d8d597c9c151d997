"""What a call of a tool must say, as a policy writes it, and what a call lacks of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS
from interlock.policy.format.entry import Text, about

_TOLD: Final = 1_000  # characters of an example that are shown


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool's: plain rules, a JSON Schema, or both."""

    required: Annotated[tuple[Text, ...], about("Fields that must be present and not empty.")] = ()
    required_any: Annotated[
        tuple[tuple[Text, ...], ...], about("Groups of fields; one group must be complete.")
    ] = ()
    min_length: Annotated[
        dict[str, Annotated[int, Meta(ge=1)]], about("The least characters or items a field has.")
    ] = {}
    schema: Annotated[dict[str, Any], about("A JSON Schema of the whole input.")] = {}
    example: Annotated[dict[str, Any], about("A call that works; shown to the agent.")] = {}


def missing_fields(shape: Shape, given: JsonObject) -> list[str]:
    """What a call lacks: `path`, `one_of:to|cc`, `content_too_short(min:10)`."""
    found = [name for name in shape.required if is_empty(given.get(name))]
    groups = shape.required_any
    if groups and not any(all(not is_empty(given.get(name)) for name in group) for group in groups):
        found.append("one_of:" + "|".join("+".join(group) for group in groups))
    return found + [
        f"{name}_too_short(min:{least})"
        for name, least in shape.min_length.items()
        if name not in found and _length(given.get(name)) < least
    ]


def is_empty(value: Any) -> bool:
    """Whether a value says nothing; a number and `false` do say something."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, (list, dict)) and not value)


def example_of(shape: Shape) -> str | None:
    """A call that fits, as JSON; made up from the rules when none is written."""
    made = shape.example or {
        **{name: f"<{name}>" for group in shape.required_any[:1] for name in group},
        **{name: f"<{name}>" for name in (*shape.min_length, *shape.required)},
        **_schema_example(shape.schema),
    }
    if not made:
        return None
    text = msgspec.json.encode(made).decode()
    return text if len(text) <= _TOLD else f"{text[:_TOLD]}…"


def _length(value: Any) -> int:
    """A field that is not there is a matter of `required`, and one that has no length fits."""
    return len(value) if isinstance(value, (str, list, dict)) else 1 << 62


def _schema_example(schema: JsonObject) -> JsonObject:
    properties = schema.get("properties")
    required = schema.get("required")
    if not isinstance(properties, dict) or not isinstance(required, list):
        return {}
    return {name: _sample(name, properties.get(name)) for name in required if isinstance(name, str)}


def _sample(name: str, schema: Any) -> Any:
    """A value that shows what is meant."""
    if not isinstance(schema, dict):
        return f"<{name}>"
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    for word in ("examples", "enum"):
        if isinstance(schema.get(word), list) and schema[word]:
            return schema[word][0]
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
_STRAY: Final = "tools"
_LOOKED_AT: Final = 200


def meant_name(name: str, described: Callable[[], Iterable[str]]) -> str | None:
    """The name in place of a malformed one, empty when none can be told; None: the name is well formed."""
    marked, stray = _MARKUP.search(name), name.lower().endswith(_STRAY)
    if not marked and not stray:
        return None
    known = {one.lower(): one for one in (*described(), *STANDARD_TOOLS.known)}
    if name.lower() in known:
        return None
    if not marked:
        return known.get(name[: -len(_STRAY)].rstrip("_-. ").lower())
    found = _WORD.findall(_TAG.sub(" ", name[:_LOOKED_AT]))
    words = [word for word in found if word.lower() not in _ATTRIBUTES]
    return next((known[word.lower()] for word in words if word.lower() in known), (words or [""])[0])


def _list_shape(field: str, example: Any) -> Shape:
    """A tool that takes a list, which models like to send as a text."""
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
