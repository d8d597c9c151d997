"""`hooks.*` requests: what each of the fifteen events brings with it, and what its handler answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import msgspec

from interlock.events.event import Event
from interlock.events.names import EventName, canonical_event_name
from interlock.events.tool import JsonObject, ToolCall
from interlock.features.work.records import invalid


class Request(msgspec.Struct, frozen=True):
    """One event: its own fields with their types, and the answer where there is nothing to say."""

    takes: Mapping[str, Any]  # a field that may be None may be left out
    answer: JsonObject
    may_answer: tuple[str, ...] = ()  # fields that are there only when they say something


_TEXT: Final[Any] = str | None
COMMON: Final[Mapping[str, Any]] = {
    "session_id": str,  # the host's own name of the session, never a number of ours
    "transcript_path": str,
    "cwd": str,
    "hook_event_name": str,
    "permission_mode": _TEXT,  # not every host tells it at every event
    "agent_id": _TEXT,  # of the sub-agent the event happened in
    "agent_type": _TEXT,
}
_TOOL: Final = {"tool_name": str, "tool_input": JsonObject}
_CALL: Final = {**_TOOL, "tool_use_id": str}
_SUB_AGENT: Final = {"agent_id": str, "agent_type": str}
REQUESTS: Final[Mapping[str, Request]] = {
    EventName.SESSION_START: Request(
        {"source": str, "model": _TEXT},
        {
            "found": False,  # whether there is an effort to go on with
            "effortId": None,
            "sessionId": None,
            "skill": None,
            "phase": None,
            "filesToPreload": [],
            "dehydratedContext": None,  # what the window before left behind
            "skillConfig": None,
        },
    ),
    EventName.SESSION_END: Request({"reason": str}, {"sessionEnded": False, "agentUpdated": False}),
    EventName.PRE_COMPACT: Request(
        {"trigger": str, "custom_instructions": _TEXT},
        {"sessionEnded": False, "restartPrompt": None, "killed": False},
    ),
    EventName.PRE_TOOL_USE: Request(
        _CALL,
        {
            "allow": True,
            "heartbeatCount": 0,
            "contextUsage": None,
            "overflowWarning": False,
            "pendingPreloads": [],  # directives that nobody has read yet
            "firedRules": [],
        },
        may_answer=("reason",),  # with a no
    ),
    EventName.POST_TOOL_USE: Request(
        {**_CALL, "tool_response": Any | None},
        {"heartbeatCount": 0, "pendingInjections": [], "dialogueEntry": None},
    ),
    EventName.POST_TOOL_USE_FAILURE: Request(
        {**_CALL, "error": str, "is_interrupt": bool | None}, {"agentUpdated": False, "messageLogged": False}
    ),
    EventName.STOP: Request(
        {"stop_hook_active": bool, "last_assistant_message": _TEXT},
        {"agentUpdated": False, "exhaustion": None},  # rate_limit or context, if the transcript mentions one
    ),
    EventName.USER_PROMPT_SUBMIT: Request(
        {"prompt": str},
        {
            "sessionContext": "",
            "effortId": None,
            "sessionId": None,
            "taskDir": None,
            "skill": None,
            "phase": None,
            "heartbeat": "0/10",
        },
    ),
    EventName.NOTIFICATION: Request(
        {"message": str, "notification_type": str, "title": _TEXT}, {"agentUpdated": False}
    ),
    EventName.PERMISSION_REQUEST: Request(
        {**_TOOL, "permission_suggestions": list[Any] | None}, {"agentUpdated": False}
    ),
    EventName.TEAMMATE_IDLE: Request(
        {"teammate_name": str, "team_name": str},
        {"agentUpdated": False, "coordinatorSignaled": False, "messageLogged": False},
    ),
    EventName.TASK_COMPLETED: Request(
        {
            "task_id": str,
            "task_subject": str,
            "task_description": _TEXT,
            "teammate_name": _TEXT,
            "team_name": _TEXT,
        },
        {"messageLogged": False, "effortUpdated": False},
    ),
    EventName.SUBAGENT_START: Request(
        _SUB_AGENT,
        {"sessionId": None, "effortId": None, "logTemplate": None, "directives": [], "effortMetadata": None},
    ),
    EventName.SUBAGENT_STOP: Request(
        {
            "stop_hook_active": bool,
            **_SUB_AGENT,
            "agent_transcript_path": str,
            "last_assistant_message": _TEXT,
        },
        {
            "sessionEnded": False,
            "mergedFiles": [],
        },  # what it had loaded and its parent's effort did not know of
    ),
    EventName.CONFIG_CHANGE: Request({"source": str, "file_path": _TEXT}, {"skillsForgotten": 0}),
}
_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")
_TYPES: Final = {"str": "a string", "object": "an object", "bool": "true or false", "array": "a list"}
_EXPECTED: Final = re.compile(r"Expected `([a-z]+)[^`]*`, got `([a-z]+)`(?: - at `\$\.([^`]*)`)?")
_MISSING: Final = re.compile(r"missing required field `([^`]+)`")
# Where an event has them; everything else a request brings is among what nobody has named.
_NAMED: Final = (
    "session_id",
    "cwd",
    "agent_id",
    "agent_type",
    "transcript_path",
    "permission_mode",
    "error",
    "prompt",
)


def read_request(name: str, params: Mapping[str, Any], env: Mapping[str, str]) -> Event:
    """The event of a request in either spelling of its fields; raise RefusedError in one sentence."""
    fields = snake_keys(params)
    event_name = fields.get("hook_event_name")
    if isinstance(event_name, str) and canonical_event_name(event_name) != name:
        raise invalid(
            f"`hook_event_name` is `{event_name}` and not `{name}`", "call the method of that event"
        )
    try:
        values = msgspec.structs.asdict(msgspec.convert(fields, _record(name)))
    except msgspec.ValidationError as error:
        raise invalid(_sentence(error), "send the event as the host sent it") from error
    tool = None
    if "tool_name" in values:
        tool = ToolCall(values.pop("tool_name"), values.pop("tool_input"), values.pop("tool_use_id", None))
    return Event(
        name,
        host="claude-code",
        tool=tool,
        tool_output=values.pop("tool_response", None),
        **{field: values.pop(field) for field in _NAMED if field in values},
        extra=values | ({"env_agent_id": env["AGENT_ID"]} if env.get("AGENT_ID") else {}),
    )


def snake_keys(params: Mapping[str, Any]) -> JsonObject:
    """The fields under their names on the wire; only at the top, for what is inside belongs to the tool."""
    fields: JsonObject = {}
    for key, value in params.items():
        name = _CAPITAL.sub("_", key).lower()
        if name in fields:
            raise invalid(f"`{name}` is there twice, also as `{key}`", "send it once")
        fields[name] = value
    return fields


@cache
def _record(name: str) -> type[msgspec.Struct]:
    """What checks a request of an event."""
    fields = {**COMMON, **REQUESTS[name].takes}.items()
    return msgspec.defstruct(
        name, [(key, kind, None) if is_optional(kind) else (key, kind) for key, kind in fields], kw_only=True
    )


def is_optional(kind: Any) -> bool:
    """Whether a field of this type may be left out."""
    return type(None) in getattr(kind, "__args__", ())


def _sentence(error: msgspec.ValidationError) -> str:
    """What is wrong, in people's words."""
    text = str(error)
    if missing := _MISSING.search(text):
        return f"the field `{missing[1]}` is missing"
    if match := _EXPECTED.search(text):
        expected, got, where = match.groups()
        place = f"the field `{where}`" if where else "the input"
        given = _TYPES.get(got, f"of type `{got}`")
        return f"{place} is {given} and not {_TYPES.get(expected, f'`{expected}`')}"
    return text
