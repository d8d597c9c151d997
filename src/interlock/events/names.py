"""The moments of an agent's life, under the names the ecosystem already uses."""

from __future__ import annotations

from difflib import get_close_matches
from enum import StrEnum
from typing import Final

from interlock.errors import UnknownEventError


class EventName(StrEnum):
    """Every moment Interlock knows by name; a host may report others, which are only observed."""

    SESSION_START = "SessionStart"
    SETUP = "Setup"
    INSTRUCTIONS_LOADED = "InstructionsLoaded"
    USER_PROMPT_SUBMIT = "UserPromptSubmit"
    USER_PROMPT_EXPANSION = "UserPromptExpansion"
    POST_USER_MESSAGE = "PostUserMessage"
    PRE_TOOL_USE = "PreToolUse"
    PERMISSION_REQUEST = "PermissionRequest"
    PERMISSION_DENIED = "PermissionDenied"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    POST_TOOL_BATCH = "PostToolBatch"
    NOTIFICATION = "Notification"
    MESSAGE_DISPLAY = "MessageDisplay"
    SUBAGENT_START = "SubagentStart"
    SUBAGENT_STOP = "SubagentStop"
    TASK_CREATED = "TaskCreated"
    TASK_COMPLETED = "TaskCompleted"
    TEAMMATE_IDLE = "TeammateIdle"
    STOP = "Stop"
    STOP_FAILURE = "StopFailure"
    PRE_COMPACT = "PreCompact"
    POST_COMPACT = "PostCompact"
    SESSION_END = "SessionEnd"
    CONFIG_CHANGE = "ConfigChange"
    CWD_CHANGED = "CwdChanged"
    FILE_CHANGED = "FileChanged"
    DIRECTORY_ADDED = "DirectoryAdded"
    WORKTREE_CREATE = "WorktreeCreate"
    WORKTREE_REMOVE = "WorktreeRemove"
    ELICITATION = "Elicitation"
    ELICITATION_RESULT = "ElicitationResult"
    STATUS_LINE = "StatusLine"
    FILE_SUGGESTION = "FileSuggestion"


EVENT_NAMES: Final = {name.value: name for name in EventName}  # by their canonical spelling

ALIASES: Final = {
    "PrePromptSubmit": EventName.USER_PROMPT_SUBMIT,
    "userPrompt": EventName.USER_PROMPT_SUBMIT,
    "beforeSubmitPrompt": EventName.USER_PROMPT_SUBMIT,
    "NotificationEvent": EventName.NOTIFICATION,
    "AgentStop": EventName.STOP,
    "promptSubmit": EventName.USER_PROMPT_SUBMIT,
    "preTool": EventName.PRE_TOOL_USE,
    "postTool": EventName.POST_TOOL_USE,
    "postToolFailure": EventName.POST_TOOL_USE_FAILURE,
}

# Votes count here: something can still be stopped, held or sent back.
JUDGED: Final = frozenset(
    {
        EventName.USER_PROMPT_SUBMIT,
        EventName.USER_PROMPT_EXPANSION,
        EventName.PRE_TOOL_USE,
        EventName.PERMISSION_REQUEST,
        EventName.SUBAGENT_STOP,
        EventName.TASK_CREATED,
        EventName.TASK_COMPLETED,
        EventName.TEAMMATE_IDLE,
        EventName.STOP,
        EventName.PRE_COMPACT,
        EventName.CONFIG_CHANGE,
        EventName.WORKTREE_CREATE,
        EventName.ELICITATION,
        EventName.ELICITATION_RESULT,
    }
)

# The end of a turn: a block sends the agent back to work.
STOPS: Final = frozenset({EventName.STOP, EventName.SUBAGENT_STOP})

# A command of ours reports these, as often as the host draws; without a hook there is nothing to record.
DRAWN: Final = frozenset({EventName.STATUS_LINE, EventName.FILE_SUGGESTION})

# These are about a tool call; a hook that names tools means nothing anywhere else.
WITH_TOOL: Final = frozenset(
    {
        EventName.PRE_TOOL_USE,
        EventName.PERMISSION_REQUEST,
        EventName.PERMISSION_DENIED,
        EventName.POST_TOOL_USE,
        EventName.POST_TOOL_USE_FAILURE,
    }
)

# What cannot be decided here does not happen.
CLOSED: Final = frozenset(
    {
        EventName.USER_PROMPT_SUBMIT,
        EventName.USER_PROMPT_EXPANSION,
        EventName.PRE_TOOL_USE,
        EventName.PERMISSION_REQUEST,
    }
)

_REFUSAL_WORDS: Final[dict[str, str]] = {
    EventName.STOP: "Stop blocked",
    EventName.SUBAGENT_STOP: "Stop blocked",
    EventName.TEAMMATE_IDLE: "Stop blocked",
    EventName.USER_PROMPT_SUBMIT: "Prompt refused",
    EventName.USER_PROMPT_EXPANSION: "Prompt refused",
    EventName.TASK_CREATED: "Task refused",
    EventName.TASK_COMPLETED: "Task not complete",
    EventName.PRE_COMPACT: "Compaction blocked",
    EventName.CONFIG_CHANGE: "Settings change blocked",
    EventName.WORKTREE_CREATE: "Worktree refused",
    EventName.ELICITATION: "Question refused",
    EventName.ELICITATION_RESULT: "Answer refused",
}


def refusal_word(event: str) -> str:
    """What a deny means at a moment, for whoever reads the reason."""
    return _REFUSAL_WORDS.get(event, "Tool denied")


def _fold(text: str) -> str:
    return text.replace("_", "").replace("-", "").lower()


_BY_FOLDED: Final = {_fold(name): name for name in EventName} | {
    _fold(alias): name for alias, name in ALIASES.items()
}


def parse_event_name(text: str) -> EventName:
    """Read an event name written by a person, in any accepted spelling."""
    name = _BY_FOLDED.get(_fold(text))
    if name is not None:
        return name
    near = get_close_matches(_fold(text), _BY_FOLDED, n=1, cutoff=0.5)
    raise UnknownEventError(text, nearest=_BY_FOLDED[near[0]] if near else None)


def canonical_event_name(text: str) -> str:
    """Give the canonical spelling of a name a host reported, or the text itself if nobody knows it."""
    return _BY_FOLDED.get(_fold(text), text)


def checked_event_name(text: str) -> str:
    """Give the canonical spelling, or the text itself for a new event; raise for a known one misspelt."""
    name = _BY_FOLDED.get(_fold(text))
    if name is None and (near := get_close_matches(_fold(text), _BY_FOLDED, n=1, cutoff=0.85)):
        raise UnknownEventError(text, nearest=_BY_FOLDED[near[0]])
    return name or text


def snake_case(name: str) -> str:
    """Write an event name as policy files do: `PreToolUse` becomes `pre_tool_use`."""
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))
