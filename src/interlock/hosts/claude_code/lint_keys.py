"""Keys of a settings file beside the hooks: for one value of the wrong kind the client skips all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias

_Kind: TypeAlias = tuple[Callable[[Any], bool], str]

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
_TEXTS: Final = [
    "$schema",
    "agent",
    "apiKeyHelper",
    "autoMemoryDirectory",
    "awsAuthRefresh",
    "awsCredentialExport",
    "gcpAuthRefresh",
    "language",
    "model",
    "otelHeadersHelper",
    "outputStyle",
    "plansDirectory",
]
_SWITCHES: Final = [
    "alwaysThinkingEnabled",
    "autoMemoryEnabled",
    "enableAllProjectMcpServers",
    "fastMode",
    "includeCoAuthoredBy",
    "prefersReducedMotion",
    "respectGitignore",
    "showTurnDuration",
    "skipDangerousModePermissionPrompt",
    "skipWebFetchPreflight",
    "spinnerTipsEnabled",
]
_OBJECTS: Final = ["enabledPlugins", "env", "modelOverrides", "permissions", "sandbox", "worktree"]
KINDS: Final[Mapping[str, _Kind]] = {
    **dict.fromkeys(_TEXTS, _TEXT),
    **dict.fromkeys(_SWITCHES, _SWITCH),
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
