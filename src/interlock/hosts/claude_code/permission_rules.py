"""Claude Code's own permission rules that let an agent type our command line and write its handover."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from interlock.hosts.claude_code.scopes import Scope
from interlock.hosts.claude_code.settings import Settings, SettingsError
from interlock.hosts.launching import PROGRAM, Installed

_PERMISSIONS: Final = "permissions"
_ALLOW: Final = "allow"
_HANDOVERS: Final = "Edit(*_HANDOVER_*.json)"  # rules for `Edit` are those for `Write` too


def our_rules(scope: Scope, installed: Installed) -> tuple[str, ...]:
    """The rules for a scope: the client takes a path for another program than the bare name.

    Where others read the file too, no path of one person may stand in it.
    """
    by_path = () if scope.shared else (f"Bash({installed.program} *)",)
    return (f"Bash({PROGRAM} *)", *by_path, _HANDOVERS)


def missing_rules(settings: Settings, rules: Sequence[str]) -> tuple[str, ...]:
    """Those of the rules that a file does not have."""
    allowed = _allowed(settings)
    return tuple(rule for rule in rules if rule not in allowed)


def with_rules(settings: Settings, rules: Sequence[str]) -> Settings:
    """The file with the rules it lacks."""
    missing = missing_rules(settings, rules)
    allowed = [*_allowed(settings), *missing]
    return _with_allowed(settings, allowed) if missing else settings


def without_rules(settings: Settings, rules: Sequence[str]) -> Settings:
    """The file without them; a list or an object that only they needed goes too."""
    allowed = _allowed(settings)
    left = [rule for rule in allowed if rule not in rules]
    return settings if left == allowed else _with_allowed(settings, left)


def _with_allowed(settings: Settings, allowed: list[Any]) -> Settings:
    rest = {name: value for name, value in _permissions(settings).items() if name != _ALLOW or allowed}
    return settings.with_member(_PERMISSIONS, {**rest, **({_ALLOW: allowed} if allowed else {})} or None)


def _allowed(settings: Settings) -> list[Any]:
    allowed = _permissions(settings).get(_ALLOW, [])
    if not isinstance(allowed, list):
        raise SettingsError(f"`permissions.allow` in `{settings.path}` is not a list; correct it first")
    return allowed


def _permissions(settings: Settings) -> dict[str, Any]:
    found = settings.document.get(_PERMISSIONS, {})
    if not isinstance(found, dict):
        raise SettingsError(f"`permissions` in `{settings.path}` is not an object; correct it first")
    return found
