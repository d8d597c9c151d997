"""What Claude Code can be told at each of its moments."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import msgspec

from interlock.events.names import DRAWN, EventName


class Refusal(StrEnum):
    """The form in which the host takes a no."""

    PERMISSION = "permission"  # `permissionDecision` in the event's own part
    BEHAVIOR = "behavior"  # `decision.behavior` in the event's own part
    ACTION = "action"  # `action: decline` in the event's own part
    BLOCK = "block"  # `decision: block` at the top
    EXIT = "exit"  # exit code 2, with `decision: block` for the reason
    FAILURE = "failure"  # exit code 2 and nothing printed: what is printed means something else


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """What the host takes at one of its events."""

    refusal: Refusal | None = None  # None: nothing can be stopped here
    context: bool = False  # `additionalContext` reaches the model
    printed: bool = False  # context is printed as it is: it tells the model what to keep
    message: bool = True  # `systemMessage` reaches the person
    output: bool = False  # the tool's output can be replaced
    drawn: bool = False  # messages are printed as they are: a command of ours shows them
    ending: bool = False  # a no, and context too, keeps the agent going
    takes_over: bool = False  # a hook here does the host's work instead of judging it
    since: tuple[int, ...] = ()  # the version that brought the event, if later than 2.1.197


_OBSERVED: Final = Moment()
_DISCARDED: Final = Moment(message=False)
_DRAWN: Final = Moment(drawn=True)
_CONTEXT_ONLY: Final = Moment(context=True)
_BLOCKED: Final = Moment(refusal=Refusal.BLOCK)
_ENDING: Final = Moment(refusal=Refusal.BLOCK, context=True, ending=True)
_DECLINED: Final = Moment(refusal=Refusal.ACTION)

MOMENTS: Final[dict[str, Moment]] = {
    EventName.SESSION_START: _CONTEXT_ONLY,
    EventName.SETUP: _CONTEXT_ONLY,
    EventName.INSTRUCTIONS_LOADED: _DISCARDED,
    EventName.USER_PROMPT_SUBMIT: Moment(refusal=Refusal.BLOCK, context=True),
    EventName.USER_PROMPT_EXPANSION: Moment(refusal=Refusal.BLOCK, context=True),
    EventName.PRE_TOOL_USE: Moment(refusal=Refusal.PERMISSION, context=True),
    EventName.PERMISSION_REQUEST: Moment(refusal=Refusal.BEHAVIOR),
    EventName.PERMISSION_DENIED: _OBSERVED,
    EventName.POST_TOOL_USE: Moment(context=True, output=True),
    EventName.POST_TOOL_USE_FAILURE: _CONTEXT_ONLY,
    EventName.POST_TOOL_BATCH: _CONTEXT_ONLY,
    EventName.NOTIFICATION: _DISCARDED,
    EventName.MESSAGE_DISPLAY: _OBSERVED,
    EventName.SUBAGENT_START: _CONTEXT_ONLY,
    EventName.SUBAGENT_STOP: _ENDING,
    EventName.TASK_CREATED: _BLOCKED,
    EventName.TASK_COMPLETED: Moment(refusal=Refusal.EXIT),
    EventName.TEAMMATE_IDLE: Moment(refusal=Refusal.EXIT, ending=True),
    EventName.STOP: _ENDING,
    EventName.STOP_FAILURE: _DISCARDED,
    # Whatever is printed without blocking becomes part of the compaction's instructions.
    EventName.PRE_COMPACT: Moment(refusal=Refusal.BLOCK, message=False, printed=True),
    EventName.POST_COMPACT: _DISCARDED,
    EventName.SESSION_END: _DISCARDED,
    EventName.CONFIG_CHANGE: _BLOCKED,
    EventName.CWD_CHANGED: _OBSERVED,
    EventName.FILE_CHANGED: _OBSERVED,
    EventName.DIRECTORY_ADDED: Moment(since=(2, 1, 219)),
    # The last line printed is taken for the path of the worktree.
    EventName.WORKTREE_CREATE: Moment(refusal=Refusal.FAILURE, message=False, takes_over=True),
    EventName.WORKTREE_REMOVE: _DISCARDED,
    EventName.ELICITATION: _DECLINED,
    EventName.ELICITATION_RESULT: _DECLINED,
}


def moment_of(event_name: str) -> Moment:
    """What can be said at an event; at one we do not know, nothing."""
    return MOMENTS.get(event_name, _DRAWN if event_name in DRAWN else _DISCARDED)


def events_of(version: str = "") -> tuple[str, ...]:
    """The events worth a hook in a version of the host; a text that is no version counts as the newest."""
    parts = version.split(".")
    numbers = tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else None
    return tuple(
        name
        for name, moment in MOMENTS.items()
        if not moment.takes_over and (numbers is None or numbers >= moment.since)
    )
