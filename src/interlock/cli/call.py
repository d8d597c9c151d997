"""Tool calls and events as they are typed."""

from __future__ import annotations

import msgspec

from interlock.errors import InterlockError
from interlock.tool import FALLBACK_FIELDS, STANDARD_TOOLS, JsonObject, ToolCall


def tool_call(tool: str, args: str) -> ToolCall:
    """A call with only its main argument."""
    spec = STANDARD_TOOLS.spec(tool)
    field = (spec.main if spec else None) or FALLBACK_FIELDS[0]
    return ToolCall(name=tool, input={field: args})


def json_object(text: str | bytes, what: str) -> JsonObject:
    """Read a JSON object; say which text was none."""
    try:
        return msgspec.json.decode(text, type=JsonObject)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InterlockError(
            f'{what} is no JSON object ({error}); write it as \'{{"command": "ls"}}\''
        ) from error
