"""Whether a tool's result is an error, and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject

_FLAGS: Final = ("is_error", "isError")
# How the text of an error begins; further on, the same words may be what the tool was asked to read.
_BEGINS: Final = (
    *("error", "<tool_use_error>", "inputvalidationerror", "validation error", "traceback (most"),
    *("typeerror:", "zoderror", "mcp error", "invalid arguments", "invalid input"),
)
# The same for errors of Python and jsonschema without such a word.
_FIELD_ERRORS: Final = re.compile(
    r"[\w.]+\(\) (?:missing \d+ required|got an unexpected keyword|takes (?:from )?\d)"
    r"|input validation error|'[^'\n]{1,100}' is a required property|additional properties are not allowed"
)
_DEPTH: Final = 4


def error_text(event: Event) -> str | None:
    """The error of a call; None if it went well."""
    output = event.tool_output
    if event.name == EventName.POST_TOOL_USE_FAILURE or event.error:
        return event.error or "\n".join(_texts(output))
    if isinstance(output, dict) and _failed(output):
        return "\n".join(_texts(output)) or msgspec.json.encode(output).decode()
    text = "\n".join(_texts(output)).lstrip() if isinstance(output, (str, list)) else ""
    begins = text[:200].lower()
    counted = begins.partition("\n")[0]
    if (
        begins.startswith(_BEGINS)
        or _FIELD_ERRORS.match(begins)
        or ("validation error" in counted and " for " in counted)
    ):
        return text
    return None


def _failed(output: JsonObject) -> bool:
    flagged = any(output.get(flag) is True for flag in _FLAGS)
    return (
        flagged
        or output.get("success") is False
        or (isinstance(output.get("error"), (str, dict)) and bool(output["error"]))
    )


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in a result of any shape."""
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, dict):
        for name in ("error", "message", "text", "content", "result"):
            yield from _texts(value.get(name), depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for item in value[:50]:
            yield from _texts(item, depth + 1)
