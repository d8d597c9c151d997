"""What a call of a tool must say, as a policy writes it, and what a call lacks of it."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from interlock.events.tool import JsonObject

_Text = Annotated[str, Meta(min_length=1)]
_TOLD: Final = 1_000  # characters of an example that are shown


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One tool's: plain rules, a JSON Schema, or both."""

    required: Annotated[tuple[_Text, ...], Meta(description="Fields that must be there, and not empty.")] = ()
    required_any: Annotated[
        tuple[tuple[_Text, ...], ...], Meta(description="Groups of fields; one group must be whole.")
    ] = ()
    min_length: Annotated[
        dict[str, Annotated[int, Meta(ge=1)]], Meta(description="Characters or items a field has at least.")
    ] = {}
    schema: Annotated[dict[str, Any], Meta(description="A JSON Schema of the whole input.")] = {}
    example: Annotated[dict[str, Any], Meta(description="A call that fits; shown to the agent.")] = {}


def missing(shape: Shape, given: JsonObject) -> list[str]:
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
        **_of_schema(shape.schema),
    }
    if not made:
        return None
    text = msgspec.json.encode(made).decode()
    return text if len(text) <= _TOLD else f"{text[:_TOLD]}…"


def _length(value: Any) -> int:
    """A field that is not there is a matter of `required`, and one that has no length fits."""
    return len(value) if isinstance(value, (str, list, dict)) else 1 << 62


def _of_schema(schema: JsonObject) -> JsonObject:
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
        return _of_schema(schema)
    if kind == "array":
        return [_sample("item", schema.get("items"))]
    return {"integer": 1, "number": 1.5, "boolean": True}.get(str(kind), f"<{name}>")
