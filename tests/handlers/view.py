"""A view of an event whose text nobody asks about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from interlock.events.event import Event
from interlock.events.hook import Pattern, PatternList
from interlock.events.tool import JsonObject, ToolCall


@dataclass(frozen=True)
class EventView:
    """The event, and no opinion about patterns."""

    event: Event
    unread: str | None = None
    opening: str | None = None
    decoded: str | None = None
    commands: tuple[Any, ...] = ()
    gaps: tuple[Any, ...] = ()
    effects: tuple[Any, ...] = ()

    def part(self, pattern: Pattern) -> str | None:
        return None

    def denied(self, patterns: PatternList, *, tame: bool = True) -> Pattern | None:
        return None

    def allowed(self, patterns: PatternList) -> Pattern | None:
        return None


def bash_event(command: str = "ls", *, name: str = "PreToolUse", cwd: str = "") -> Event:
    """A shell call about to happen."""
    tool_input: JsonObject = {"command": command}
    tool = ToolCall(name="Bash", input=tool_input, use_id="toolu_1")
    return Event(name=name, session_id="s1", cwd=cwd, tool=tool)
