"""How often Claude Code lets hooks send a turn back: its own cap, raised by a variable in its settings."""

from __future__ import annotations

from typing import Final

from interlock.hosts.claude_code.settings import Settings, SettingsError

_ENV: Final = "env"
_CAP: Final = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"


def with_loops(settings: Settings, rounds: int) -> Settings:
    """The file with a cap one above our rounds: one is left for hooks that are not ours."""
    return settings.with_member(_ENV, {**_variables(settings), _CAP: _value(rounds)})


def without_loops(settings: Settings, rounds: int) -> Settings:
    """The file without our cap; one that somebody changed since is theirs."""
    variables = _variables(settings)
    if variables.get(_CAP) != _value(rounds):
        return settings
    rest = {name: value for name, value in variables.items() if name != _CAP}
    return settings.with_member(_ENV, rest or None)


def _variables(settings: Settings) -> dict[str, object]:
    found = settings.document.get(_ENV, {})
    if not isinstance(found, dict):
        raise SettingsError(f"`env` in `{settings.path}` is no object; correct it first")
    return found


def _value(rounds: int) -> str:
    return str(rounds + 1)
