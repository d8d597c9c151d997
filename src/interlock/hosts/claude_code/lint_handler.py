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
    WARN = "warn"  # it runs, and not as one would think


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
    """This does something else than one would think."""
    return Finding(weight=Weight.WARN, path=path, message=message)


_Kind: TypeAlias = tuple[Callable[[Any], bool], str]

_MILLISECONDS: Final = 1_000  # so many seconds nobody would wait
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

# As both clients of `clients/` take them; of a key that is not here nothing is known.
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
    """The place of each value of the wrong kind, what is expected there, and the value."""
    yield from _wrong(document, KINDS, "")
    permissions = document.get("permissions")
    if isinstance(permissions, dict):
        yield from _wrong(permissions, _PERMISSIONS, "permissions.")


def _wrong(
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


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _text_map(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())


_SHAPES: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "args": (_texts, "a list of strings"),
    "shell": (lambda value: value in {"bash", "powershell"}, "`bash` or `powershell`"),
    "async": (lambda value: isinstance(value, bool), "true or false"),
    "asyncRewake": (lambda value: isinstance(value, bool), "true or false"),
    "onFailure": (lambda value: value in {"block", "continue"}, "`block` or `continue`"),
    "once": (lambda value: isinstance(value, bool), "true or false"),
    "statusMessage": (lambda value: isinstance(value, str), "a string"),
    "if": (lambda value: isinstance(value, str), "a string"),
    "headers": (_text_map, "an object of strings"),
    "allowedEnvVars": (_texts, "a list of strings"),
    "model": (lambda value: isinstance(value, str), "a string"),
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
        yield from self._shapes(handler)
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

    def _shapes(self, handler: JsonObject) -> Iterator[Finding]:
        for key, (fits, wanted) in _SHAPES.items():
            if key in handler and not fits(handler[key]):
                yield self._void(key, f"expected {wanted}; correct or remove it")

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
