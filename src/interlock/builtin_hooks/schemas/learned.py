"""What successful calls of a tool have in common: the names and types of their fields, never a value."""

from __future__ import annotations

from typing import Any, Final

from interlock.builtin_hooks.schemas.required_fields import Shape
from interlock.builtin_hooks.state import Memory
from interlock.events.tool import JsonObject

_PLACE: Final = "tools"  # in place of a session: what is learned holds for all of them
_MOST_FIELDS: Final = 32
_ENOUGH: Final = 20  # calls, after which only a call that differs teaches anything
_TYPES: Final = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}


class Learned:
    """Shapes by tool, kept where hooks remember; they only ever advise."""

    def __init__(self, memory: Memory, least: int) -> None:
        self._memory: Final = memory
        self._least: Final = least
        self._shapes: Final[dict[str, tuple[dict[str, str], Shape]]] = {}  # one shape is compiled once

    def succeeded(self, name: str, given: JsonObject) -> None:
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

    def of(self, name: str) -> Shape | None:
        """What every call had so far; None before there were enough."""
        known = self._memory.get(_PLACE, _key(name))
        if int(known.get("calls", 0)) < self._least or not known.get("fields"):
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
