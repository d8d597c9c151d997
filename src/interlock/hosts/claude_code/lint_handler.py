"""What is wrong with one handler of a settings file, and with the keys beside the hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import msgspec

from interlock.events.names import WITH_TOOL, EventName
from interlock.events.tool import JsonObject
from interlock.hosts.claude_code.matchers import read_rule


class Weight(StrEnum):
    """What a finding costs."""

    VOID = "void"  # the client skips the whole file, its permission rules too
    DEAD = "dead"  # this part never runs, or never matches
    WARN = "warn"  # it runs, but not as it seems


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake, with its place in the file."""

    weight: Weight
    path: str  # `hooks.PreToolUse[0].hooks[1].timeout`
    message: str


def void(path: str, message: str) -> Finding:
    """The client skips the file for this."""
    return Finding(weight=Weight.VOID, path=path, message=message)


def dead(path: str, message: str) -> Finding:
    """This does nothing."""
    return Finding(weight=Weight.DEAD, path=path, message=message)


def warn(path: str, message: str) -> Finding:
    """This does not do what it seems to do."""
    return Finding(weight=Weight.WARN, path=path, message=message)


_Kind: TypeAlias = tuple[Callable[[Any], bool], str]

_MILLISECONDS: Final = 1_000  # nobody waits this many seconds
_TEXT: Final[_Kind] = (lambda value: isinstance(value, str), "a string")
_SWITCH: Final[_Kind] = (lambda value: isinstance(value, bool), "true or false")
_NUMBER: Final[_Kind] = (
    lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "a number",
)
_LIST: Final[_Kind] = (lambda value: isinstance(value, list), "a list")
_OBJECT: Final[_Kind] = (lambda value: isinstance(value, dict), "an object")
_PROGRAM: Final[_Kind] = (
    lambda value: (
        isinstance(value, dict) and value.get("type") == "command" and isinstance(value.get("command"), str)
    ),
    'an object with `"type": "command"` and a `command`',
)

# What both clients of `clients/` accept; other keys are not checked.
_TEXTS: Final = (
    "$schema agent apiKeyHelper autoMemoryDirectory awsAuthRefresh awsCredentialExport "
    "gcpAuthRefresh language model otelHeadersHelper outputStyle plansDirectory"
)
_SWITCHES: Final = (
    "alwaysThinkingEnabled autoMemoryEnabled enableAllProjectMcpServers fastMode includeCoAuthoredBy "
    "prefersReducedMotion respectGitignore showTurnDuration skipDangerousModePermissionPrompt "
    "skipWebFetchPreflight spinnerTipsEnabled"
)
_OBJECTS: Final = ["enabledPlugins", "env", "modelOverrides", "permissions", "sandbox", "worktree"]
KINDS: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(_TEXTS.split(), _TEXT),
    **dict.fromkeys(_SWITCHES.split(), _SWITCH),
    **dict.fromkeys(_OBJECTS, _OBJECT),
    **dict.fromkeys(("availableModels", "companyAnnouncements"), _LIST),
    **dict.fromkeys(("fileSuggestion", "statusLine"), _PROGRAM),
    "cleanupPeriodDays": _NUMBER,
}
_PERMISSIONS: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(("allow", "ask", "deny", "additionalDirectories"), _LIST),
    "defaultMode": _TEXT,
}


def wrong_kinds(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Each value of the wrong kind: its key, what is expected, and the value."""
    yield from _find_wrong_kinds(document, KINDS, "")
    permissions = document.get("permissions")
    if isinstance(permissions, dict):
        yield from _find_wrong_kinds(permissions, _PERMISSIONS, "permissions.")


def _find_wrong_kinds(
    values: Mapping[str, Any], kinds: Mapping[str, _Kind], place: str
) -> Iterator[tuple[str, str, Any]]:
    for key, (is_right, expected) in kinds.items():
        if key in values and not is_right(values[key]):
            yield f"{place}{key}", expected, values[key]


HTTP: Final = "http"
REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "command": ("command",),
    HTTP: ("url",),
    "mcp_tool": ("server", "tool"),
    "prompt": ("prompt",),
    "agent": ("prompt",),
}
# No client context exists yet when these fire.
_BEFORE_HTTP: Final = frozenset({EventName.SESSION_START, EventName.SETUP})
# Events at which a model may be asked for its opinion.
_ASKING: Final = WITH_TOOL | {
    EventName.USER_PROMPT_SUBMIT,
    EventName.USER_PROMPT_EXPANSION,
    EventName.POST_TOOL_BATCH,
    EventName.SUBAGENT_STOP,
    EventName.TASK_CREATED,
    EventName.TASK_COMPLETED,
    EventName.TEAMMATE_IDLE,
    EventName.STOP,
}


def _is_text_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_text_map(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


_HANDLER_KINDS: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(("args", "allowedEnvVars"), (_is_text_list, "a list of strings")),
    **dict.fromkeys(("async", "asyncRewake", "once"), _SWITCH),
    **dict.fromkeys(("if", "model", "statusMessage"), _TEXT),
    "headers": (_is_text_map, "an object of strings"),
    "onFailure": (lambda value: value in {"block", "continue"}, "`block` or `continue`"),
    "shell": (lambda value: value in {"bash", "powershell"}, "`bash` or `powershell`"),
}


class HandlerLint:
    """Looks at one handler; its event decides what can run there."""

    def __init__(self, event: str, place: str) -> None:
        self._event: Final = event
        self._place: Final = place

    def findings(self, handler: Any) -> Iterator[Finding]:
        """Everything that is wrong with it."""
        if not isinstance(handler, dict):
            yield self._void("", "expected a handler with a `type`; correct it")
            return
        kind = handler.get("type")
        if not isinstance(kind, str) or kind not in REQUIRED:
            yield self._unknown_type(handler, kind)
            return
        yield from self._check_required(handler, kind)
        yield from self._check_kinds(handler)
        yield from self._timeout(handler)
        yield from self._runs(handler, kind)

    def _unknown_type(self, handler: JsonObject, kind: Any) -> Finding:
        if "type" not in handler:
            return self._void("type", f"it is missing; add one of {', '.join(REQUIRED)}")
        near = get_close_matches(str(kind), REQUIRED, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"use one of {', '.join(REQUIRED)}"
        return self._void("type", f"unknown type `{kind}`; {hint}")

    def _check_required(self, handler: JsonObject, kind: str) -> Iterator[Finding]:
        for key in REQUIRED[kind]:
            if key not in handler:
                yield self._void(key, f"a handler of type `{kind}` needs it; add it")
            elif not isinstance(handler[key], str):
                yield self._void(key, "expected a string; correct it")
            elif key == "url" and not (urlsplit(handler[key]).scheme and urlsplit(handler[key]).netloc):
                yield self._void(
                    key, f"`{handler[key]}` is not a complete address; write `https://host/path`"
                )

    def _check_kinds(self, handler: JsonObject) -> Iterator[Finding]:
        for key, expected, _ in _find_wrong_kinds(handler, _HANDLER_KINDS, ""):
            yield self._void(key, f"expected {expected}; correct or remove it")

    def _timeout(self, handler: JsonObject) -> Iterator[Finding]:
        if "timeout" not in handler:
            return
        timeout = handler["timeout"]
        if isinstance(timeout, bool) or not isinstance(timeout, int | float):
            yield self._void("timeout", "expected a number of seconds, without quotes; correct it")
        elif timeout <= 0:
            yield self._void("timeout", f"`{timeout}` is not a time; write a positive number of seconds")
        elif timeout >= _MILLISECONDS:
            yield warn(f"{self._place}.timeout", f"`{timeout}` are seconds, not milliseconds")

    def _runs(self, handler: JsonObject, kind: str) -> Iterator[Finding]:
        if kind == HTTP and self._event in _BEFORE_HTTP:
            yield self._dead("type", f"http handlers are skipped at `{self._event}`; use a command")
        if kind in {"prompt", "agent"} and self._event not in _ASKING:
            yield self._dead("type", f"`{kind}` handlers do not run at `{self._event}`; use a command")
        rule = handler.get("if")
        if isinstance(rule, str):
            if self._event not in WITH_TOOL:
                yield self._dead("if", f"a handler with `if` never runs at `{self._event}`; remove it")
            elif read_rule(rule) is None:
                yield self._dead(
                    "if", f"`{rule}` is not a rule, so the handler never runs; write `Tool(glob)`"
                )
        if handler.get("once") is True:
            yield warn(f"{self._place}.once", "it is ignored in settings; the hook runs every time")

    def _void(self, key: str, message: str) -> Finding:
        return void(f"{self._place}.{key}" if key else self._place, message)

    def _dead(self, key: str, message: str) -> Finding:
        return dead(f"{self._place}.{key}", message)
