"""What Claude Code can be told at each of its events, and how long it waits for us there."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from interlock.events.hook import MAX_TIMEOUT, Hook
from interlock.events.names import DRAWN, WITH_TOOL, EventName


class Refusal(StrEnum):
    """The form in which the host takes a no."""

    PERMISSION = "permission"  # `permissionDecision` in the event's own part
    BEHAVIOR = "behavior"  # `decision.behavior` in the event's own part
    ACTION = "action"  # `action: decline` in the event's own part
    BLOCK = "block"  # `decision: block` at the top
    EXIT = "exit"  # exit code 2, with `decision: block` for the reason
    FAILURE = "failure"  # exit code 2 and nothing printed: what is printed means something else


class EventCapability(msgspec.Struct, frozen=True, kw_only=True):
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


_OBSERVED: Final = EventCapability()
_DISCARDED: Final = EventCapability(message=False)
_DRAWN: Final = EventCapability(drawn=True)
_CONTEXT_ONLY: Final = EventCapability(context=True)
_BLOCKED: Final = EventCapability(refusal=Refusal.BLOCK)
_ENDING: Final = EventCapability(refusal=Refusal.BLOCK, context=True, ending=True)
_DECLINED: Final = EventCapability(refusal=Refusal.ACTION)

CAPABILITIES: Final[dict[str, EventCapability]] = {
    EventName.SESSION_START: _CONTEXT_ONLY,
    EventName.SETUP: _CONTEXT_ONLY,
    EventName.INSTRUCTIONS_LOADED: _DISCARDED,
    EventName.USER_PROMPT_SUBMIT: EventCapability(refusal=Refusal.BLOCK, context=True),
    EventName.USER_PROMPT_EXPANSION: EventCapability(refusal=Refusal.BLOCK, context=True),
    EventName.PRE_TOOL_USE: EventCapability(refusal=Refusal.PERMISSION, context=True),
    EventName.PERMISSION_REQUEST: EventCapability(refusal=Refusal.BEHAVIOR),
    EventName.PERMISSION_DENIED: _OBSERVED,
    EventName.POST_TOOL_USE: EventCapability(context=True, output=True),
    EventName.POST_TOOL_USE_FAILURE: _CONTEXT_ONLY,
    EventName.POST_TOOL_BATCH: _CONTEXT_ONLY,
    EventName.NOTIFICATION: _DISCARDED,
    EventName.MESSAGE_DISPLAY: _OBSERVED,
    EventName.SUBAGENT_START: _CONTEXT_ONLY,
    EventName.SUBAGENT_STOP: _ENDING,
    EventName.TASK_CREATED: _BLOCKED,
    EventName.TASK_COMPLETED: EventCapability(refusal=Refusal.EXIT),
    EventName.TEAMMATE_IDLE: EventCapability(refusal=Refusal.EXIT, ending=True),
    EventName.STOP: _ENDING,
    EventName.STOP_FAILURE: _DISCARDED,
    # Whatever is printed without blocking becomes part of the compaction's instructions.
    EventName.PRE_COMPACT: EventCapability(refusal=Refusal.BLOCK, message=False, printed=True),
    EventName.POST_COMPACT: _DISCARDED,
    EventName.SESSION_END: _DISCARDED,
    EventName.CONFIG_CHANGE: _BLOCKED,
    EventName.CWD_CHANGED: _OBSERVED,
    EventName.FILE_CHANGED: _OBSERVED,
    EventName.DIRECTORY_ADDED: EventCapability(since=(2, 1, 219)),
    # The last line printed is taken for the path of the worktree.
    EventName.WORKTREE_CREATE: EventCapability(refusal=Refusal.FAILURE, message=False, takes_over=True),
    EventName.WORKTREE_REMOVE: _DISCARDED,
    EventName.ELICITATION: _DECLINED,
    EventName.ELICITATION_RESULT: _DECLINED,
}


def capability_of(event_name: str) -> EventCapability:
    """What can be said at an event; at one we do not know, nothing."""
    return CAPABILITIES.get(event_name, _DRAWN if event_name in DRAWN else _DISCARDED)


def events_of(version: str = "") -> tuple[str, ...]:
    """The events worth a hook in a version of the host; a text that is not a version counts as the newest."""
    parts = version.split(".")
    numbers = tuple(int(part) for part in parts) if all(part.isdecimal() for part in parts) else None
    return tuple(
        name
        for name, capability in CAPABILITIES.items()
        if not capability.takes_over and (numbers is None or numbers >= capability.since)
    )


# The rest of the host's time is for starting us, recording, and the way back.
BUDGET_SHARE: Final = 0.9

_OTHERS: Final = 30
# A build or a test at the end of a turn takes its time, as a check before a call may.
_MAY_GROW: Final = WITH_TOOL | {EventName.STOP}
_SECONDS: Final[dict[str, int]] = {
    **dict.fromkeys(WITH_TOOL, 60),
    EventName.USER_PROMPT_SUBMIT: 30,
    EventName.MESSAGE_DISPLAY: 10,
    EventName.SESSION_START: 15,
    EventName.SESSION_END: 5,
    # Less than the 5 seconds the host gives our command, which then shows the rest without them.
    EventName.STATUS_LINE: 4,
    EventName.FILE_SUGGESTION: 4,
}


def entry_timeout(event_name: str, hooks: Iterable[Hook] = ()) -> int:
    """The seconds an entry of ours asks for: more than usual only where a hook needs more."""
    usual = _SECONDS.get(event_name, _OTHERS)
    if event_name not in _MAY_GROW:
        return usual
    longest = max((hook.timeout for hook in hooks if event_name in hook.events), default=0.0)
    return min(int(MAX_TIMEOUT), max(usual, math.ceil(longest / BUDGET_SHARE)))


def budget_of(event_name: str, waits: float | None = None) -> float:
    """The seconds all hooks of an event have together: always less than our entries ask for."""
    seconds = entry_timeout(event_name) if waits is None else min(waits, MAX_TIMEOUT)
    return seconds * BUDGET_SHARE
