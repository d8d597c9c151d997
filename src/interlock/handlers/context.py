"""The document a hook program, webhook or function receives about an event."""

from __future__ import annotations

import json
from collections.abc import Mapping

import msgspec

from interlock.events.event import Event
from interlock.events.tool import JsonObject


def context_document(event: Event, env: Mapping[str, str]) -> JsonObject:
    """Tell the event under the names every known hook dialect looks for."""
    known: JsonObject = {
        "event": event.name,
        "hook_event_name": event.name,
        "session_id": event.session_id,
        "cwd": event.cwd,
        "env": dict(env),
        "actor": event.actor,
    }
    known |= {name: value for name, value in _optional(event).items() if value is not None}
    # What we know ourselves wins: a host field may add to the document, not rewrite it.
    return {**event.extra, **known}


def _optional(event: Event) -> JsonObject:
    tool = event.tool
    return {
        "tool_name": tool.name if tool else None,
        "tool_input": tool.input if tool else None,
        "tool_use_id": tool.use_id if tool else None,
        "tool_output": event.tool_output,
        "tool_response": event.tool_output,
        "error": event.error,
        "user_prompt": event.prompt,
        "prompt": event.prompt,
        "agent_id": event.agent_id,
        "agent_type": event.agent_type,
        "transcript_path": event.transcript_path,
        "permission_mode": event.permission_mode,
        "commitment_id": event.commitment_id,
    }


def encode_context(document: JsonObject) -> bytes:
    """Write the document as JSON; a Python agent's own objects are written as their text."""
    try:
        return msgspec.json.encode(document, enc_hook=str)
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form, but it has an escape.
        return json.dumps(document, default=str).encode()


def hook_variables(event: Event) -> dict[str, str]:
    """The variables that tell a hook which event it is run for."""
    variables = {"HOOK_EVENT": event.name, "HOOK_SESSION_ID": event.session_id}
    if event.tool is not None:
        variables["HOOK_TOOL_NAME"] = event.tool.name
    return {name: _env_value(value) for name, value in variables.items()}


def _env_value(text: str) -> str:
    # An environment holds neither NUL nor lone surrogates; both would stop the hook from starting.
    return text.replace("\0", "").encode("utf-8", "replace").decode()
