"""What people are told of a moment."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable
from typing import Any, Final

from interlock.events.event import Event
from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.events.tool_table import STANDARD_TOOLS

_SHOWN: Final = 300
_FIELD: Final = re.compile(r"\{(\w+)\}")
_SAID: Final = ("message", "last_assistant_message", "reason", "error_details", "title")  # of hosts
_TITLES: Final[dict[str, str]] = {
    EventName.NOTIFICATION: "wants you",
    EventName.PERMISSION_REQUEST: "asks for permission",
    EventName.STOP: "has finished",
    EventName.STOP_FAILURE: "cannot go on",
    EventName.SUBAGENT_STOP: "has a sub-agent that finished",
    EventName.SESSION_END: "has ended",
    EventName.SESSION_START: "has begun",
    EventName.POST_TOOL_USE_FAILURE: "had a call fail",
    EventName.PERMISSION_DENIED: "was refused",
    EventName.PRE_COMPACT: "is about to summarise",
}


def title_of(event: Event) -> str:
    """Which agent, and what became of it."""
    place = os.path.basename((event.project or event.cwd).rstrip("/")) or "an agent"  # noqa: PTH119 - as written
    told = _TITLES.get(event.name)
    return _line(f"Interlock: {place} {told or f'is at {event.name}'}")


def text_of(event: Event) -> str:
    """One line: what the host said, else what the moment is about."""
    return _line(_said(event) or _call(event) or event.prompt or event.name)


def document_of(event: Event, text: str) -> JsonObject:
    """What a webhook gets."""
    return {
        "event": "hook_notice",
        "moment": str(event.name),
        "text": text,
        "session_id": event.session_id,
        "actor": event.actor,
        "host": event.host,
        "folder": event.project or event.cwd,
        "tool": event.tool.name if event.tool else None,
    }


def slack_of(title: str, text: str) -> JsonObject:
    """The same for a channel; three signs would be read as markup."""
    return {"text": f"*{_escaped(title)}*\n{_escaped(text)}"}


def filled(template: str, event: Event) -> str:
    """A text of the policy with the facts of a moment."""
    return _line(_FIELD.sub(lambda match: _FIELDS[match[1]](event), template))


def fillable(template: str) -> str | None:
    """A name in a text that stands for nothing; None when there is none."""
    return next((name for name in _FIELD.findall(template) if name not in _FIELDS), None)


def _said(event: Event) -> str:
    found: Any = event.error or next((event.extra[name] for name in _SAID if event.extra.get(name)), "")
    return found if isinstance(found, str) else ""


def _call(event: Event) -> str:
    if event.tool is None:
        return ""
    spec = STANDARD_TOOLS.spec(event.tool.name)
    main = event.tool.input.get(spec.main) if spec is not None and spec.main else None
    return f"{event.tool.name}: {main}" if isinstance(main, str) else event.tool.name


_FIELDS: Final[dict[str, Callable[[Event], str]]] = {
    "event": lambda event: str(event.name),
    "tool": lambda event: event.tool.name if event.tool else "",
    "call": _call,
    "session": lambda event: event.session_id,
    "folder": lambda event: event.project or event.cwd,
    "actor": lambda event: event.actor,
    "said": _said,
}


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
