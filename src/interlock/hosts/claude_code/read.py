"""A hook payload of Claude Code → the event it reports, the client's version, and who is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from interlock.errors import PayloadError, PayloadKind
from interlock.events.event import Event
from interlock.events.names import EVENT_NAMES, JUDGED, EventName, canonical_event_name
from interlock.events.tool import JsonObject, ToolCall
from interlock.hosts.payload import read_payload

# The terminal client; every other entry point (SDKs, `-p`) runs without a prompt.
_INTERACTIVE: Final = "cli"
# The other modes answer by themselves, or have approved a hook's question without showing it.
_ASKING_MODES: Final = frozenset({"default", "acceptEdits", "plan"})


def attended(event: Event) -> bool:
    """Whether a person can answer; what is not known counts as nobody."""
    return event.extra.get("entrypoint") == _INTERACTIVE and event.permission_mode in _ASKING_MODES


_NAMED: Final = re.compile(r"claude-code_(\d+)-(\d+)-(\d+)(?:_|$)")


def client_version(event: Event) -> str | None:
    """`2.1.197` out of `claude-code_2-1-197_harness`, or None."""
    agent = event.extra.get("ai_agent")
    match = _NAMED.match(agent) if isinstance(agent, str) else None
    return ".".join(match.groups()) if match else None


HOST: Final = "claude-code"

_NAME: Final = "hook_event_name"
_LEGACY_NAME: Final = "hook_event"  # what some plugins send

# Under the names an event has for them.
_TEXTS: Final = (
    "session_id", "cwd", "error", "prompt", "agent_id", "agent_type", "transcript_path", "permission_mode",
)  # fmt: skip

# A call cannot be judged without these; at other events they are optional.
_NEEDS_A_TOOL: Final = frozenset({EventName.PRE_TOOL_USE, EventName.PERMISSION_REQUEST})
_NEEDS_A_PROMPT: Final = frozenset({EventName.USER_PROMPT_SUBMIT})

# The hook's environment, under the names it is kept by; a payload cannot claim these.
_FROM_ENVIRONMENT: Final = {
    "CLAUDE_CODE_ENTRYPOINT": "entrypoint",
    "AGENT_ID": "env_agent_id",
    "INTERLOCK_ACTOR": "claimed_actor",
    "AI_AGENT": "ai_agent",
    "TMUX": "tmux",
    "TMUX_PANE": "tmux_pane",
}
_OURS: Final = frozenset({*_FROM_ENVIRONMENT.values(), "repaired"})


def read_event(payload: bytes, env: Mapping[str, str]) -> Event:
    """Read any event, known or not; raise PayloadError when a field it needs is not there."""
    read = read_payload(payload)
    fields = read.fields
    event_name = _take_name(fields)
    tool = _take_tool(fields, event_name)
    texts = _take_texts(fields, event_name, _TEXTS)
    if "\0" in texts.get("cwd", ""):
        raise _wrong(event_name, "cwd", "a path, because it contains a NUL character")
    if event_name in _NEEDS_A_PROMPT and "prompt" not in texts:
        raise _wrong(event_name, "prompt", "a string")
    tool_output = fields.pop("tool_response", None)
    for name in _OURS.intersection(fields):
        del fields[name]
    if read.repaired:
        fields["repaired"] = True
    if env:
        fields |= {kept: env[name] for name, kept in _FROM_ENVIRONMENT.items() if name in env}
    return Event(
        name=event_name,
        host=HOST,
        project=env.get("CLAUDE_PROJECT_DIR") or None,
        tool=tool,
        tool_output=tool_output,
        extra=fields,
        **texts,
    )


def _take_name(fields: JsonObject) -> str:
    name = fields.pop(_NAME if _NAME in fields else _LEGACY_NAME, None)
    if not isinstance(name, str) or not name:
        message = f"the payload has no `{_NAME}`; send the event as the host sent it"
        raise PayloadError(PayloadKind.FIELD, message)
    return EVENT_NAMES.get(name) or canonical_event_name(name)


def _take_texts(fields: JsonObject, event_name: str, names: Iterable[str]) -> JsonObject:
    """The fields that are present; at events that are judged, each must be a string."""
    found: JsonObject = {}
    for name in names:
        if name not in fields:
            continue
        value = fields.pop(name)
        if isinstance(value, str):
            found[name] = value
        elif value is not None and event_name in JUDGED:
            raise _wrong(event_name, name, "a string")
        elif value is not None:
            fields[name] = value  # not usable, but recorded with the rest
    return found


def _take_tool(fields: JsonObject, event_name: str) -> ToolCall | None:
    """The call the event is about, if it is about one."""
    name, tool_input = fields.get("tool_name"), fields.get("tool_input")
    if isinstance(name, str) and name and isinstance(tool_input, dict):
        del fields["tool_name"], fields["tool_input"]
        texts = _take_texts(fields, event_name, ("tool_use_id",))
        return ToolCall(name=name, input=tool_input, use_id=texts.get("tool_use_id"))
    if event_name not in _NEEDS_A_TOOL:
        return None
    if isinstance(tool_input, dict):
        raise _wrong(event_name, "tool_name", "the name of a tool")
    raise _wrong(event_name, "tool_input", "an object")


def _wrong(event_name: str, field: str, expected: str) -> PayloadError:
    message = f"the field `{field}` of the payload is not {expected}; send the event as the host sent it"
    return PayloadError(PayloadKind.FIELD, message, event_name=event_name)
