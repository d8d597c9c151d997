"""Evidence of a command: what ran, how it ended, how long it took."""

from __future__ import annotations

import re
from typing import Any, Final

from interlock.events.event import Event
from interlock.events.hook import Sight
from interlock.events.tool import JsonObject

# How Claude Code tells the status of a command that failed.
_STATUS: Final = re.compile(r"Exit code (\d{1,3})\b")
_STATUS_FIELDS: Final = ("exit_code", "exitCode", "exit_status", "returncode", "return_code", "status")


def command_execution(sight: Sight) -> tuple[JsonObject, dict[str, str]] | None:
    """The data, and the outputs as whole texts; None for a call without a command."""
    event = sight.event
    command = event.tool.input.get("command") if event.tool else None
    if command is None:
        return None
    answer = event.tool_output if isinstance(event.tool_output, dict) else {}
    data: JsonObject = {"command": command, "exit_status": _status(event, answer)}
    if (milliseconds := event.extra.get("duration_ms")) is not None:
        data["duration_ms"] = milliseconds
    data["interrupted"] = _flag(answer.get("interrupted"), event.extra.get("is_interrupt"))
    outputs = {name: answer.get(name) for name in ("stdout", "stderr")}
    if isinstance(event.tool_output, str):
        outputs = {"stdout": event.tool_output}
    return data, {name: text for name, text in outputs.items() if isinstance(text, str)}


def _status(event: Event, answer: JsonObject) -> int | None:
    """What the host told; it is never concluded from anything else, such as the lack of an error."""
    for name in _STATUS_FIELDS:
        value = answer.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    told = _STATUS.match(event.error or "")
    return int(told.group(1)) if told else None


def _flag(*values: Any) -> bool | None:
    """The first that is said at all; None: nobody knows."""
    return next((value for value in values if isinstance(value, bool)), None)
