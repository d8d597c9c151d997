"""The records of a `HookRegistry`: events, context, handlers and definitions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from interlock.hooks import MAX_TIMEOUT
from interlock.sdk.hook_result import CONTINUE, HookResult


class HookEventType(StrEnum):
    """The thirteen moments a registry knows."""

    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    PRE_PROMPT_SUBMIT = "PrePromptSubmit"
    POST_USER_MESSAGE = "PostUserMessage"
    SESSION_START = "SessionStart"
    SESSION_END = "SessionEnd"
    SUBAGENT_START = "SubagentStart"
    SUBAGENT_STOP = "SubagentStop"
    PRE_COMPACT = "PreCompact"
    NOTIFICATION_EVENT = "NotificationEvent"
    STATUS_LINE = "StatusLine"
    FILE_SUGGESTION = "FileSuggestion"


class HookContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a hook is told; fields that mean nothing at an event are None."""

    event: HookEventType = HookEventType.PRE_TOOL_USE
    tool_name: str | None = None
    tool_input: Any = None  # for tool events
    tool_output: Any = None  # for PostToolUse
    error: str | None = None  # for PostToolUseFailure
    user_prompt: str | None = None  # for PrePromptSubmit
    session_id: str = ""
    agent_id: str | None = None  # for subagent events
    cwd: str | Path = ""
    env: Mapping[str, str] = {}  # for commands, where a variable cannot change what they run


class HttpMethod(StrEnum):
    """How a webhook is called."""

    POST = "POST"
    PUT = "PUT"


class Shell(msgspec.Struct, frozen=True):
    """Runs a command where the event happened; its exit code alone can reject."""

    command: str
    pass_context: bool = False  # the context as JSON on standard input
    parse_result: bool = False  # a result as JSON on standard output
    pass_env: tuple[str, ...] = ()  # variables of the environment it may see


class Webhook(msgspec.Struct, frozen=True):
    """Sends the context to an address."""

    url: str
    method: HttpMethod = HttpMethod.POST
    headers: Mapping[str, str] = {}
    pass_env: tuple[str, ...] = ()  # variables the headers may use
    allow_private: bool = False  # also call addresses inside private networks


class Inline(msgspec.Struct, frozen=True):
    """Calls a function, sync or async; it must bear being called from several threads."""

    callback: Callable[[HookContext], HookResult | Awaitable[HookResult]]


HookHandler: TypeAlias = Shell | Webhook | Inline


class HookDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """One hook as it is registered."""

    event: HookEventType = HookEventType.PRE_TOOL_USE
    handler: HookHandler = Inline(lambda _: CONTINUE)
    once: bool = False
    timeout: float = MAX_TIMEOUT  # seconds
    name: str | None = None  # for the log
    tool_matcher: str | None = None  # `Edit`, or the start of a name with `*`

    def meant_for(self, tool_name: str | None) -> bool:
        """Whether this hook runs; where there is no tool, a matcher has nothing to object to."""
        if self.tool_matcher is None or tool_name is None:
            return True
        if self.tool_matcher.endswith("*"):
            return tool_name.startswith(self.tool_matcher[:-1])
        return tool_name == self.tool_matcher
