"""Tool calls and events as they are typed."""

from __future__ import annotations

import msgspec

from interlock.errors import InterlockError
from interlock.events.names import EventName, parse_event_name
from interlock.events.tool import FALLBACK_FIELDS, JsonObject, ToolCall
from interlock.events.tool_table import STANDARD_TOOLS


def tool_call(tool: str, args: str) -> ToolCall:
    """A call with only its main argument."""
    spec = STANDARD_TOOLS.spec(tool)
    field = (spec.main if spec else None) or FALLBACK_FIELDS[0]
    return ToolCall(name=tool, input={field: args})


def moment(
    event: str | None, tool: str | None, prompt: str | None, error: str | None, *, hint: str
) -> EventName:
    """The moment that is named, or else the one the rest belongs to; `hint` says what could be given."""
    if event is not None:
        return parse_event_name(event)
    if tool:
        return EventName.POST_TOOL_USE_FAILURE if error else EventName.PRE_TOOL_USE
    if prompt is not None:
        return EventName.USER_PROMPT_SUBMIT
    raise InterlockError(f"nothing to decide; give {hint}")


def json_object(text: str | bytes, what: str) -> JsonObject:
    """Read a JSON object; say which text was none."""
    try:
        return msgspec.json.decode(text, type=JsonObject)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise InterlockError(
            f'{what} is not a JSON object ({error}); write it as \'{{"command": "ls"}}\''
        ) from error
