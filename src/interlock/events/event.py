"""One moment of an agent's life, the same for every host."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from interlock.events.names import checked_event_name
from interlock.events.tool import JsonObject, ToolCall

PYTHON: Final = "python"  # a program that uses the engine itself


class Event(msgspec.Struct, frozen=True):
    """What happened, to whom, where; nothing in it has been judged yet."""

    name: str  # canonical, see moment.py; unknown names are observed
    session_id: str = ""
    cwd: str = ""
    project: str | None = None  # the folder file patterns are relative to; `cwd` when the host does not tell
    actor: str = "agent:main"
    parent_actor: str | None = None  # who started this sub-agent
    host: str = PYTHON
    tool: ToolCall | None = None
    tool_output: Any = None
    error: str | None = None
    prompt: str | None = None
    agent_id: str | None = None
    agent_type: str | None = None
    transcript_path: str | None = None
    permission_mode: str | None = None
    commitment_id: str | None = None
    commitment: JsonObject | None = None  # how that commitment stands, for conditions
    session: JsonObject | None = None  # how a session that is at work on an effort stands, for conditions
    effort: JsonObject | None = None  # and that effort
    extra: JsonObject = {}  # host fields nobody has named yet

    def __post_init__(self) -> None:
        """Refuse a tool that no hook could look at, and an event that no hook could meet."""
        if self.host == PYTHON:  # what another host reports is observed, whatever it is called
            checked_event_name(self.name)
        if self.tool is not None and not isinstance(self.tool, ToolCall):
            raise TypeError(
                f"an Event's `tool` is a ToolCall, not `{self.tool!r:.80}`; write "
                f'`ToolCall(name="Bash", input={{"command": "ls"}})`'
            )

    def with_input(self, tool_input: JsonObject) -> Event:
        """The same event, as it looks after a hook changed the tool's input."""
        if self.tool is None:
            return self
        return msgspec.structs.replace(self, tool=msgspec.structs.replace(self.tool, input=tool_input))

    def with_prompt(self, prompt: str) -> Event:
        """The same event, as it looks after a hook changed the prompt."""
        return msgspec.structs.replace(self, prompt=prompt)

    def with_output(self, output: Any) -> Event:
        """The same event, as it looks after a hook changed the tool's output."""
        return msgspec.structs.replace(self, tool_output=output)
