"""A hook payload of Claude Code → the event it reports, the client's version, and who is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from interlock.errors import PayloadError, PayloadKind
from interlock.events.event import Event
from interlock.events.names import JUDGED, EventName, canonical_event_name
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
    said = event.extra.get("ai_agent")
    found = _NAMED.match(said) if isinstance(said, str) else None
    return ".".join(found.groups()) if found else None


HOST: Final = "claude-code"

_NAME: Final = "hook_event_name"
_LEGACY_NAME: Final = "hook_event"  # what some plugins send

# A call about to happen cannot be judged without these; elsewhere they are taken when they are there.
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
    fields = _Fields(read.fields)
    text = fields.text
    from_environment = {kept: env[name] for name, kept in _FROM_ENVIRONMENT.items() if name in env}
    return Event(
        name=fields.event_name,
        host=HOST,
        session_id=text("session_id") or "",
        cwd=fields.folder("cwd") or "",
        project=env.get("CLAUDE_PROJECT_DIR") or None,
        tool=fields.tool(),
        tool_output=fields.value("tool_response"),
        error=text("error"),
        prompt=fields.prompt(),
        agent_id=text("agent_id"),
        agent_type=text("agent_type"),
        transcript_path=text("transcript_path"),
        permission_mode=text("permission_mode"),
        extra=fields.rest() | from_environment | ({"repaired": True} if read.repaired else {}),
    )


class _Fields:
    """The fields of one payload, taken one by one; what is left nobody has named yet."""

    __slots__ = ("_left", "event_name")

    def __init__(self, fields: JsonObject) -> None:
        self._left = fields
        name = fields.pop(_NAME if _NAME in fields else _LEGACY_NAME, None)
        if not isinstance(name, str) or not name:
            message = f"the payload has no `{_NAME}`; send the event as the host gave it"
            raise PayloadError(PayloadKind.FIELD, message)
        self.event_name = canonical_event_name(name)

    def value(self, name: str) -> Any:
        """Whatever stands there, or None."""
        return self._left.pop(name, None)

    def text(self, name: str) -> str | None:
        """A string, or None; where something is judged, any other value there is an error."""
        value = self._left.pop(name, None)
        if value is None or isinstance(value, str):
            return value
        if self.event_name in JUDGED:
            raise self._wrong(name, "a string")
        self._left[name] = value  # nobody can use it, and it is recorded with the rest
        return None

    def folder(self, name: str) -> str | None:
        """A string that can be a path, or None."""
        path = self.text(name)
        if path is not None and "\0" in path:
            raise self._wrong(name, "a path, for it holds a NUL")
        return path

    def prompt(self) -> str | None:
        """The prompt, which its own event cannot do without."""
        prompt = self.text("prompt")
        if prompt is None and self.event_name in _NEEDS_A_PROMPT:
            raise self._wrong("prompt", "a string")
        return prompt

    def tool(self) -> ToolCall | None:
        """The call the event is about, if it is about one."""
        name, tool_input = self._left.get("tool_name"), self._left.get("tool_input")
        if isinstance(name, str) and name and isinstance(tool_input, dict):
            del self._left["tool_name"], self._left["tool_input"]
            return ToolCall(name=name, input=tool_input, use_id=self.text("tool_use_id"))
        if self.event_name not in _NEEDS_A_TOOL:
            return None
        if isinstance(tool_input, dict):
            raise self._wrong("tool_name", "the name of a tool")
        raise self._wrong("tool_input", "an object")

    def rest(self) -> JsonObject:
        """Every field that has not been taken, without those only we may set."""
        if not _OURS.isdisjoint(self._left):
            for name in _OURS:
                self._left.pop(name, None)
        return self._left

    def _wrong(self, name: str, expected: str) -> PayloadError:
        message = f"the field `{name}` of the payload is not {expected}; send the event as the host gave it"
        return PayloadError(PayloadKind.FIELD, message, event_name=self.event_name)
