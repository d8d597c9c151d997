"""Typed access to the fields of an answer; a field of the wrong type makes the answer garbage."""

from __future__ import annotations

from typing import Any, Final

from interlock.errors import FailureKind, HookFailedError
from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject

SHOWN: Final = 80  # characters of a wrong value that a message repeats

PROMPT_EVENTS: Final = frozenset({EventName.USER_PROMPT_SUBMIT, EventName.USER_PROMPT_EXPANSION})


def garbage(message: str) -> HookFailedError:
    """The failure of a hook whose answer cannot be read."""
    return HookFailedError(FailureKind.GARBAGE, message)


def wrong(name: str, value: Any, expected: str) -> HookFailedError:
    """The failure of a hook whose answer has a field of the wrong type or word."""
    shown = "null" if value is None else repr(value)
    hint = "; leave the field out when there is nothing to say" if value is None else ""
    return garbage(f"the answer's `{name}` is `{shown[:SHOWN]}`, expected {expected}{hint}")


def text_field(fields: JsonObject, name: str, *, inside: str = "") -> str | None:
    """A string, or None when the field is absent."""
    value = fields.get(name)
    if name in fields and not isinstance(value, str):
        raise wrong(inside + name, value, "a string")
    return value


def object_field(fields: JsonObject, name: str, *, inside: str = "") -> JsonObject | None:
    """An object, or None when the field is absent."""
    value = fields.get(name)
    if name in fields and not isinstance(value, dict):
        raise wrong(inside + name, value, "an object")
    return value


def flag_field(fields: JsonObject, name: str) -> bool | None:
    """A boolean, or None when the field is absent."""
    value = fields.get(name)
    if name in fields and not isinstance(value, bool):
        raise wrong(name, value, "true or false")
    return value


def changed_input(name: str, value: Any, event: Event) -> JsonObject:
    """The verdict fields a new input sets: the prompt where a prompt is judged, else the tool's input."""
    if event.name not in PROMPT_EVENTS:
        if not isinstance(value, dict):
            raise wrong(name, value, "an object")
        return {"updated_input": value}
    prompt = value.get("prompt") if isinstance(value, dict) else value
    if not isinstance(prompt, str):
        raise wrong(name, value, "a string, or an object whose `prompt` is a string")
    return {"updated_prompt": prompt}
