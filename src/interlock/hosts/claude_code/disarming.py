"""What a project's settings can do to hooks that stand elsewhere: every way we know, each with its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from interlock.builtin_hooks.self_protection.settings_change import UNHOOKING
from interlock.events.tool import JsonObject
from interlock.hosts.check import Check, fail, warn
from interlock.hosts.claude_code.entries import handlers_of, is_ours
from interlock.hosts.claude_code.scopes import Scope, SettingsPlaces
from interlock.hosts.claude_code.settings import Settings, SettingsError, read_settings

RUN: Final = "interlock run -- claude"
_WHAT: Final = "project settings"
_FILES: Final = ("settings.local.json", "settings.json")  # the nearer first
_SWITCH: Final = "disableAllHooks"
_PLUGINS: Final = "enabledPlugins"
# These decide which files or which code the hook's program meets when it starts.
_LOADING: Final = frozenset({"HOME", "XDG_DATA_HOME", "BASH_ENV", "ENV"})
_LOADERS: Final = ("LD_", "DYLD_")
_OFF: Final = frozenset({"", "0", "false", "no", "off"})


# An entry by its event and by what the client tells handlers apart by: of two such it runs the one read last.
Identity = tuple[str, ...]
Level = Callable[[str, str, str], Check]


def check_projects(settings: Mapping[Scope, Settings], places: SettingsPlaces) -> Iterator[Check]:
    """What the settings of this folder switch off, and those above it for sessions that start there."""
    entries = _entries(settings)
    enabled = _enabled(settings)
    managed = settings.get(Scope.MANAGED)
    is_held = managed is not None and any(is_ours(found[3]) for found in handlers_of(managed.hooks))
    for folder in (places.project, *places.project.parents):
        level = fail if folder == places.project and not is_held else warn
        for settings_file in _found(folder, places):
            # The switch of this folder is judged with those of the other scopes.
            if folder != places.project and settings_file.document.get(_SWITCH) is True:
                yield _check(level, settings_file, _SWITCH, "switches hooks off in sessions that start there")
            yield from _copies(level, settings_file, entries)
            yield from _plugins(level, settings_file, enabled)
            yield from _variables(level, settings_file)


def _found(folder: Path, places: SettingsPlaces) -> Iterator[Settings]:
    for name in _FILES:
        file = folder / ".claude" / name
        if file.parent == places.user:
            continue
        try:
            found = read_settings(file)
        except SettingsError:
            continue  # what the client cannot read either switches nothing off
        if found.text is not None:
            yield found


def _identity(event: str, handler: JsonObject) -> Identity:
    return (event, *(str(handler.get(key)) for key in ("command", "args", "shell", "if")))


def _entries(settings: Mapping[Scope, Settings]) -> dict[Identity, tuple[Path, JsonObject]]:
    """Our entries of the files that a project's are read after."""
    return {
        _identity(event, handler): (settings[scope].path, handler)
        for scope in (Scope.PROJECT, Scope.USER)
        if scope in settings
        for event, _, _, handler, _ in handlers_of(settings[scope].hooks)
        if is_ours(handler)
    }


def _copies(
    level: Level, settings: Settings, entries: Mapping[Identity, tuple[Path, JsonObject]]
) -> Iterator[Check]:
    for event, i, j, handler, _ in handlers_of(settings.hooks):
        path, original = entries.get(_identity(event, handler), (settings.path, handler))
        if path == settings.path:
            continue
        weaker = [key for key, is_weaker in _WEAKER.items() if is_weaker(handler, original)]
        if weaker:
            key = f"hooks.{event}[{i}].hooks[{j}].{weaker[0]}"
            yield _check(level, settings, key, f"this copy replaces our entry in {path} and weakens it")


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("inf")


_WEAKER: Final[dict[str, Callable[[JsonObject, JsonObject], bool]]] = {
    "timeout": lambda copy, ours: _number(copy.get("timeout")) < _number(ours.get("timeout")),
    "async": lambda copy, _: copy.get("async") is True,
    "asyncRewake": lambda copy, _: copy.get("asyncRewake") is True,
    "onFailure": lambda copy, ours: ours.get("onFailure") == "block" != copy.get("onFailure"),
}


def _enabled(settings: Mapping[Scope, Settings]) -> set[str]:
    """The plugins that the user has switched on."""
    user = settings.get(Scope.USER)
    return {name for name, value in _object(user, _PLUGINS).items() if value} if user else set()


def _plugins(level: Level, settings: Settings, enabled: set[str]) -> Iterator[Check]:
    for name, value in _object(settings, _PLUGINS).items():
        if value is False and name.startswith("interlock"):
            yield _check(level, settings, f"{_PLUGINS}.{name}", "switches the plugin and its hooks off")
        elif value is False and name in enabled:
            detail = "switches a plugin of yours off, with the hooks it may have"
            yield _check(warn, settings, f"{_PLUGINS}.{name}", detail)


def _variables(level: Level, settings: Settings) -> Iterator[Check]:
    for name, value in _object(settings, "env").items():
        if name == UNHOOKING and str(value).lower() not in _OFF:
            yield _check(level, settings, f"env.{name}", "makes older clients run no hooks of yours")
        elif name in _LOADING or name.startswith(_LOADERS):
            detail = "decides which files a hook's program loads when it starts"
            yield _check(warn, settings, f"env.{name}", detail)


def _object(settings: Settings, key: str) -> JsonObject:
    value = settings.document.get(key)
    return value if isinstance(value, dict) else {}


def _check(level: Level, settings: Settings, key: str, detail: str) -> Check:
    return level(_WHAT, f"{settings.path}: {key}: {detail}", f"remove it there, or start with: {RUN}")
