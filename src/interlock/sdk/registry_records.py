"""The records of a `HookRegistry`: events, context, handlers and definitions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from interlock.events.hook import MAX_TIMEOUT, REQUEST_TIMEOUT
from interlock.events.names import parse_event_name
from interlock.sdk.results import CONTINUE, HookResult


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

    @classmethod
    def _missing_(cls, value: object) -> HookEventType:
        return event_type(value)


EVENT_TYPES: Final = {parse_event_name(one): one for one in HookEventType}


def event_type(written: object) -> HookEventType:
    """Read an event in any accepted spelling; raise for one that a registry never runs."""
    if not isinstance(written, str):
        raise TypeError(
            f'`{written!r:.80}` is not an event; write `HookEventType.PRE_TOOL_USE` or `"PreToolUse"`'
        )
    name = parse_event_name(written)
    if name not in EVENT_TYPES:
        known = ", ".join(HookEventType)
        raise ValueError(f"a registry has no event `{written}`; use `Engine` for it, or one of {known}")
    return EVENT_TYPES[name]


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

    def __post_init__(self) -> None:
        """Take the event in any spelling, so that hooks see one."""
        msgspec.structs.force_setattr(self, "event", event_type(self.event))


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

    def __post_init__(self) -> None:
        """Refuse what no shell could run."""
        given: object = self.command
        if not isinstance(given, str) or not given.strip():
            raise ValueError(
                f"`{self.command!r:.80}` is not a command; give `Shell` the text that a shell runs"
            )


class Webhook(msgspec.Struct, frozen=True):
    """Sends the context to an address."""

    url: str
    method: HttpMethod = HttpMethod.POST
    headers: Mapping[str, str] = {}
    pass_env: tuple[str, ...] = ()  # variables the headers may use
    allow_private: bool = False  # also call addresses inside private networks

    def __post_init__(self) -> None:
        """Take a method in any case, and no other method."""
        method = str(self.method).upper()
        if method not in tuple(HttpMethod):
            raise ValueError(
                f"`{self.method}` is not a webhook method; use `HttpMethod.POST` or `HttpMethod.PUT`"
            )
        msgspec.structs.force_setattr(self, "method", HttpMethod(method))


class Inline(msgspec.Struct, frozen=True):
    """Calls a function, sync or async; it must bear being called from several threads."""

    callback: Callable[[HookContext], HookResult | Awaitable[HookResult]]

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.callback):
            raise TypeError(f"`{self.callback!r:.80}` cannot be called; give `Inline` a function")


def _handler_advice(found: object) -> str:
    if callable(found):
        return "wrap the function: `handler=Inline(function)`"
    return "use `Shell(command)`, `Webhook(url)` or `Inline(function)`"


HookHandler: TypeAlias = Shell | Webhook | Inline


class HookDefinition(msgspec.Struct, frozen=True, kw_only=True):
    """One hook as it is registered."""

    event: HookEventType = HookEventType.PRE_TOOL_USE
    handler: HookHandler = Inline(lambda _: CONTINUE)
    once: bool = False
    timeout: float | None = None  # seconds; None: 600, and 30 for a webhook's request
    name: str | None = None  # for the log
    tool_matcher: str | None = None  # `Edit`, or the start of a name with `*`

    def __post_init__(self) -> None:
        """Refuse what could never run, and fill in the time limit."""
        matcher: object = self.tool_matcher
        set_field = msgspec.structs.force_setattr
        set_field(self, "event", event_type(self.event))
        if not isinstance(self.handler, Shell | Webhook | Inline):
            raise TypeError(f"`{self.handler!r:.80}` is not a handler; {_handler_advice(self.handler)}")
        if self.timeout is None:
            set_field(self, "timeout", REQUEST_TIMEOUT if isinstance(self.handler, Webhook) else MAX_TIMEOUT)
        elif isinstance(self.timeout, bool) or not isinstance(self.timeout, int | float):
            raise TypeError(f"timeout `{self.timeout!r:.80}` is not a number; give seconds, more than 0")
        elif not self.timeout > 0:
            raise ValueError(f"timeout `{self.timeout:g}` leaves no time to run; give seconds, more than 0")
        if not isinstance(matcher, str | None):
            wrong = f"`{matcher!r:.80}` is not a tool_matcher"
            raise TypeError(f'{wrong}; give the name of a tool, or its start with a star: `"Bash*"`')

    def meant_for(self, tool_name: str | None) -> bool:
        """Whether this hook runs; where there is no tool, a matcher has nothing to object to."""
        if self.tool_matcher is None or tool_name is None:
            return True
        if self.tool_matcher.endswith("*"):
            return tool_name.startswith(self.tool_matcher[:-1])
        return tool_name == self.tool_matcher
