"""Variables that a settings file of Claude Code sets for the client: put in, and taken out again."""

from __future__ import annotations

from typing import Final

from interlock.hosts.claude_code.settings import Settings, SettingsError

_ENV: Final = "env"


def with_variable(settings: Settings, name: str, value: str) -> Settings:
    """The file with one more variable."""
    return settings.with_member(_ENV, {**_variables(settings), name: value})


def without_variable(settings: Settings, name: str, value: str) -> Settings:
    """The file without it; one that somebody changed since is theirs."""
    variables = _variables(settings)
    if variables.get(name) != value:
        return settings
    rest = {other: kept for other, kept in variables.items() if other != name}
    return settings.with_member(_ENV, rest or None)


def _variables(settings: Settings) -> dict[str, object]:
    found = settings.document.get(_ENV, {})
    if not isinstance(found, dict):
        raise SettingsError(f"`env` in `{settings.path}` is no object; correct it first")
    return found
