"""What each of the fifteen events brings with it: the common fields, and its own."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from interlock.events.names import EventName
from interlock.events.tool import JsonObject


class HookInput(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that all events have; what else a host sends along is left aside."""

    session_id: str  # the host's own name of the session, never a number of ours
    transcript_path: str
    cwd: str
    hook_event_name: str
    permission_mode: str | None = None  # not every host tells it at every event
    agent_id: str | None = None  # of the sub-agent the event happened in
    agent_type: str | None = None

    event: ClassVar[EventName]


class ToolInput(HookInput, frozen=True, kw_only=True):
    """An event about a tool call; the keys of the input are the tool's own and stay as they are."""

    tool_name: str
    tool_input: JsonObject


class SessionStartInput(HookInput, frozen=True, kw_only=True):
    """A window opens: the agent starts, goes on, or begins anew after `/clear` or a compaction."""

    source: str
    model: str | None = None

    event = EventName.SESSION_START


class SessionEndInput(HookInput, frozen=True, kw_only=True):
    """The agent ends, by itself or interrupted."""

    reason: str

    event = EventName.SESSION_END


class PreCompactInput(HookInput, frozen=True, kw_only=True):
    """The window is about to be summarised."""

    trigger: str  # auto or manual
    custom_instructions: str | None = None

    event = EventName.PRE_COMPACT


class PreToolUseInput(ToolInput, frozen=True, kw_only=True):
    """A tool is about to be called."""

    tool_use_id: str

    event = EventName.PRE_TOOL_USE


class PostToolUseInput(ToolInput, frozen=True, kw_only=True):
    """A tool was called, and it went well."""

    tool_use_id: str
    tool_response: Any = None

    event = EventName.POST_TOOL_USE


class PostToolUseFailureInput(ToolInput, frozen=True, kw_only=True):
    """A tool was called, and it failed or was interrupted."""

    tool_use_id: str
    error: str
    is_interrupt: bool | None = None

    event = EventName.POST_TOOL_USE_FAILURE


class StopInput(HookInput, frozen=True, kw_only=True):
    """The agent's turn is over."""

    stop_hook_active: bool
    last_assistant_message: str | None = None

    event = EventName.STOP


class UserPromptInput(HookInput, frozen=True, kw_only=True):
    """A person says something."""

    prompt: str

    event = EventName.USER_PROMPT_SUBMIT


class NotificationInput(HookInput, frozen=True, kw_only=True):
    """The host wants a person's attention."""

    message: str
    notification_type: str
    title: str | None = None

    event = EventName.NOTIFICATION


class PermissionRequestInput(ToolInput, frozen=True, kw_only=True):
    """The host is about to ask whether a tool may be called."""

    permission_suggestions: list[Any] | None = None

    event = EventName.PERMISSION_REQUEST


class TeammateIdleInput(HookInput, frozen=True, kw_only=True):
    """A member of a team has nothing more to do."""

    teammate_name: str
    team_name: str

    event = EventName.TEAMMATE_IDLE


class TaskCompletedInput(HookInput, frozen=True, kw_only=True):
    """An item of the agent's own list is done; it is no task of ours."""

    task_id: str
    task_subject: str
    task_description: str | None = None
    teammate_name: str | None = None
    team_name: str | None = None

    event = EventName.TASK_COMPLETED


class SubagentStartInput(HookInput, frozen=True, kw_only=True):
    """A sub-agent begins."""

    agent_id: str
    agent_type: str

    event = EventName.SUBAGENT_START


class SubagentStopInput(HookInput, frozen=True, kw_only=True):
    """A sub-agent has ended."""

    stop_hook_active: bool
    agent_id: str
    agent_type: str
    agent_transcript_path: str
    last_assistant_message: str | None = None

    event = EventName.SUBAGENT_STOP


class ConfigChangeInput(HookInput, frozen=True, kw_only=True):
    """A settings file or a skill of the host has changed."""

    source: str
    file_path: str | None = None

    event = EventName.CONFIG_CHANGE
