"""From what a host or a caller sends to the input of one event, checked once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, TypeVar

import msgspec

from interlock.events.event import Event
from interlock.events.names import EventName, canonical_event_name
from interlock.events.tool import JsonObject
from interlock.features.work import inputs
from interlock.features.work.errors import Code, RefusedError
from interlock.features.work.inputs import HookInput

Input = TypeVar("Input", bound=HookInput)
INPUTS: Final[dict[str, type[HookInput]]] = {
    str(kind.event): kind
    for kind in (
        inputs.SessionStartInput,
        inputs.SessionEndInput,
        inputs.PreCompactInput,
        inputs.PreToolUseInput,
        inputs.PostToolUseInput,
        inputs.PostToolUseFailureInput,
        inputs.StopInput,
        inputs.UserPromptInput,
        inputs.NotificationInput,
        inputs.PermissionRequestInput,
        inputs.TeammateIdleInput,
        inputs.TaskCompletedInput,
        inputs.SubagentStartInput,
        inputs.SubagentStopInput,
        inputs.ConfigChangeInput,
    )
}
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")
_TYPES: Final = {"str": "a string", "object": "an object", "bool": "true or false", "array": "a list"}
_EXPECTED: Final = re.compile(r"Expected `([a-z]+)[^`]*`, got `([a-z]+)`(?: - at `\$\.([^`]*)`)?")
_MISSING: Final = re.compile(r"missing required field `([^`]+)`")
# A turn that ended in an error of the host is a turn that ended.
_SAME: Final[dict[str, str]] = {EventName.STOP_FAILURE: EventName.STOP}


def read_input(event: str, given: Mapping[str, Any]) -> HookInput:
    """The input of an event in either spelling of its fields; raise RefusedError in one sentence."""
    kind = INPUTS[event]
    fields = snake_keys(given)
    named = fields.get("hook_event_name")
    if isinstance(named, str) and canonical_event_name(named) != event:
        raise _wrong(f"`hook_event_name` is `{named}` and not `{event}`", "ask the method of that event")
    try:
        return msgspec.convert(fields, kind)
    except msgspec.ValidationError as error:
        raise _wrong(_sentence(error), "send the event as the host gave it") from error


def snake_keys(given: Mapping[str, Any]) -> JsonObject:
    """The fields under their names on the wire; only at the top, for what is inside belongs to the tool."""
    fields: JsonObject = {}
    for key, value in given.items():
        name = _CAPITAL.sub("_", key).lower()
        if name in fields:
            raise _wrong(f"`{name}` is there twice, as `{key}` too", "send it once")
        fields[name] = value
    return fields


def input_of(event: Event) -> HookInput | None:
    """The input of an event a host reported; None for one that is none of the fifteen.

    What the host left out is empty here: an agent's work is not interrupted for a field nobody needs.
    """
    kind = INPUTS.get(_SAME.get(event.name, event.name))
    if kind is None:
        return None
    known: JsonObject = {
        "session_id": event.session_id,
        "transcript_path": event.transcript_path or "",
        "cwd": event.cwd,
        "hook_event_name": event.name,
        "permission_mode": event.permission_mode,
        "agent_id": event.agent_id,
        "agent_type": event.agent_type,
        "error": event.error,
        "prompt": event.prompt,
        "tool_response": event.tool_output,
    }
    if event.tool is not None:
        known |= {
            "tool_name": event.tool.name,
            "tool_input": event.tool.input,
            "tool_use_id": event.tool.use_id,
        }
    return _filled(
        kind, {**event.extra, **{name: value for name, value in known.items() if value is not None}}
    )


def _filled(kind: type[Input], fields: JsonObject) -> Input:
    """The input with something of the right kind wherever a field is missing or of another type."""
    values: JsonObject = {}
    for name, wanted, required in _fields(kind):
        try:
            values[name] = msgspec.convert(fields[name], wanted)
        except (KeyError, msgspec.ValidationError):
            if required:
                values[name] = _EMPTY[wanted]()
    return kind(**values)


@cache
def _fields(kind: type[HookInput]) -> tuple[tuple[str, Any, bool], ...]:
    """The fields of an input; looking them up takes longer than reading one."""
    return tuple((field.name, field.type, field.required) for field in msgspec.structs.fields(kind))


_EMPTY: Final[dict[Any, type]] = {str: str, bool: bool, JsonObject: dict}


def _sentence(error: msgspec.ValidationError) -> str:
    """What is wrong, in people's words."""
    said = str(error)
    if missing := _MISSING.search(said):
        return f"the field `{missing[1]}` is missing"
    if found := _EXPECTED.search(said):
        wanted, got, where = found.groups()
        place = f"the field `{where}`" if where else "the input"
        return f"{place} is {_TYPES.get(got, f'of type `{got}`')} and not {_TYPES.get(wanted, f'`{wanted}`')}"
    return said


def _wrong(sentence: str, next_step: str) -> RefusedError:
    return RefusedError(Code.VALIDATION_ERROR, sentence, next_step)
