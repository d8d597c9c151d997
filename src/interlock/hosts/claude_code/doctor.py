"""Whether Claude Code will ask us: its settings of every scope, looked at as the client reads them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec

from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.hosts.claude_code.capabilities import events_of
from interlock.hosts.claude_code.entries import (
    ALWAYS,
    PlacedHandler,
    find_ours,
    handlers_of,
    is_ours,
    program_of,
)
from interlock.hosts.claude_code.install import launcher_text
from interlock.hosts.claude_code.lint import find_voids
from interlock.hosts.claude_code.settings import (
    LAUNCHER,
    UNHOOKING,
    Scope,
    Settings,
    SettingsError,
    SettingsPlaces,
    read_settings,
)
from interlock.hosts.host import Check, fail, ok, warn
from interlock.hosts.launching import Installation, token_argument

RUN: Final = "interlock run -- claude"
_WHAT: Final = "project settings"
_FILES: Final = ("settings.local.json", "settings.json")  # the nearer first
_SWITCH: Final = "disableAllHooks"
_PLUGINS: Final = "enabledPlugins"
_OUR_PLUGIN: Final = "interlock@interlock"
# These decide which files or which code the hook's program meets when it starts.
_LOADING: Final = frozenset({"HOME", "XDG_DATA_HOME", "BASH_ENV", "ENV"})
_LOADERS: Final = ("LD_", "DYLD_")
_OFF: Final = frozenset({"", "0", "false", "no", "off"})


# What the client tells handlers apart by: of two equal ones, it runs the one that it read last.
Identity = tuple[str, ...]
Level = Callable[[str, str, str], Check]


def check_projects(settings: Mapping[Scope, Settings], places: SettingsPlaces) -> Iterator[Check]:
    """What the settings of this folder switch off, and those above it for sessions that start there."""
    entries = _entries(settings)
    enabled = _enabled_plugins(settings)
    managed = settings.get(Scope.MANAGED)
    is_held = managed is not None and bool(find_ours(managed.hooks))
    for folder in (places.project, *places.project.parents):
        level = fail if folder == places.project and not is_held else warn
        for settings_file in _read_project_settings(folder, places):
            # The switch of this folder is judged with those of the other scopes.
            if folder != places.project and settings_file.document.get(_SWITCH) is True:
                yield _project_check(
                    level, settings_file, _SWITCH, "turns hooks off in sessions started there"
                )
            yield from _copies(level, settings_file, entries)
            yield from _plugins(level, settings_file, enabled)
            yield from _disarming_variables(level, settings_file)


def _read_project_settings(folder: Path, places: SettingsPlaces) -> Iterator[Settings]:
    for name in _FILES:
        file = folder / ".claude" / name
        if file.parent == places.user:
            continue
        try:
            settings = read_settings(file)
        except SettingsError:
            continue  # what the client cannot read either switches nothing off
        if settings.text is not None:
            yield settings


def _identity(handler: PlacedHandler) -> Identity:
    return (handler.event, *(str(handler.fields.get(key)) for key in ("command", "args", "shell", "if")))


def _entries(settings: Mapping[Scope, Settings]) -> dict[Identity, tuple[Path, JsonObject]]:
    """Our entries of the files that a project's are read after."""
    return {
        _identity(handler): (settings[scope].path, handler.fields)
        for scope in (Scope.PROJECT, Scope.USER)
        if scope in settings
        for handler in find_ours(settings[scope].hooks)
    }


def _copies(
    level: Level, settings: Settings, entries: Mapping[Identity, tuple[Path, JsonObject]]
) -> Iterator[Check]:
    for handler in handlers_of(settings.hooks):
        path, original = entries.get(_identity(handler), (settings.path, handler.fields))
        if path == settings.path:
            continue
        weaker = [key for key, is_weaker in _WEAKER.items() if is_weaker(handler.fields, original)]
        if weaker:
            detail = f"this copy replaces our entry in {path} and makes it weaker"
            yield _project_check(level, settings, f"{handler.path}.{weaker[0]}", detail)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else float("inf")


_WEAKER: Final[dict[str, Callable[[JsonObject, JsonObject], bool]]] = {
    "timeout": lambda copy, ours: _number(copy.get("timeout")) < _number(ours.get("timeout")),
    "async": lambda copy, _: copy.get("async") is True,
    "asyncRewake": lambda copy, _: copy.get("asyncRewake") is True,
    "onFailure": lambda copy, ours: ours.get("onFailure") == "block" != copy.get("onFailure"),
}


def _enabled_plugins(settings: Mapping[Scope, Settings]) -> set[str]:
    """The plugins that the user has switched on."""
    user = settings.get(Scope.USER)
    return {name for name, value in user.find_object(_PLUGINS).items() if value} if user else set()


def _plugins(level: Level, settings: Settings, enabled: set[str]) -> Iterator[Check]:
    for name, value in settings.find_object(_PLUGINS).items():
        if value is False and name.startswith("interlock"):
            yield _project_check(
                level, settings, f"{_PLUGINS}.{name}", "turns the Interlock plugin and its hooks off"
            )
        elif value is False and name in enabled:
            detail = "turns off a plugin of yours, with its hooks"
            yield _project_check(warn, settings, f"{_PLUGINS}.{name}", detail)


def _disarming_variables(level: Level, settings: Settings) -> Iterator[Check]:
    for name, value in settings.find_object("env").items():
        if name == UNHOOKING and str(value).lower() not in _OFF:
            yield _project_check(level, settings, f"env.{name}", "makes older clients run none of your hooks")
        elif name in _LOADING or name.startswith(_LOADERS):
            detail = "decides which files a hook's program loads when it starts"
            yield _project_check(warn, settings, f"env.{name}", detail)


def _project_check(level: Level, settings: Settings, key: str, detail: str) -> Check:
    return level(_WHAT, f"{settings.path}: {key}: {detail}", f"remove it there, or start with `{RUN}`")


_SETUP: Final = "interlock setup"
_INSTALL: Final = "interlock install claude-code"
_PROJECT_DIR: Final = "${CLAUDE_PROJECT_DIR}"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One of our entries, as the client would run it."""

    scope: Scope
    event: str
    command: tuple[str, ...]


def read_scopes(places: SettingsPlaces) -> tuple[dict[Scope, Settings], list[Check]]:
    """The settings that are there, and a failure for each file that cannot be read."""
    settings_by_scope: dict[Scope, Settings] = {}
    failures = []
    for scope in Scope:
        # Typed in the home folder, the project's file is the user's.
        if scope is Scope.PROJECT and places.file(scope) == places.file(Scope.USER):
            continue
        try:
            settings = read_settings(places.file(scope))
        except SettingsError as error:
            failures.append(
                fail(f"{scope} settings", str(error), f"interlock lint-settings {places.file(scope)}")
            )
            continue
        if settings.text is not None:
            settings_by_scope[scope] = settings
    return settings_by_scope, failures


def our_entries(settings: Mapping[Scope, Settings], project: Path) -> list[Entry]:
    """Our entries in all scopes, the managed first."""
    return [
        Entry(scope=scope, event=handler.event, command=_command(handler.fields, project))
        for scope, file in settings.items()
        for handler in find_ours(file.hooks)
        if handler.matcher in {None, "", "*"}
    ]


def _command(handler: JsonObject, project: Path) -> tuple[str, ...]:
    words = [program_of(handler) or "", *handler.get("args", [])]
    return tuple(word.replace(_PROJECT_DIR, str(project)) for word in words)


def check_settings(
    settings: Mapping[Scope, Settings],
    places: SettingsPlaces,
    installed: Installation,
    token: str,
    imported: Mapping[Scope, Collection[str]] = MappingProxyType({}),
) -> Iterator[Check]:
    """Everything that can keep the client from asking us; imported hooks do not count as other hooks."""
    entries = our_entries(settings, places.project)
    if not entries and _OUR_PLUGIN in _enabled_plugins(settings):
        detail = f"only the plugin `{_OUR_PLUGIN}` reports calls; `claude plugin list` shows whether it loads"
        yield warn("entries", detail, _INSTALL)
    elif not entries:
        yield fail("entries", "no settings file has Interlock's entries, so nothing is guarded", _SETUP)
    for scope, file in settings.items():
        yield from _scope(scope, file, [entry for entry in entries if entry.scope is scope], installed, token)
        yield from _other_hooks(scope, file, imported.get(scope, ()))
    yield from _switches(settings, entries)
    yield from check_projects(settings, places)


def _scope(
    scope: Scope, settings: Settings, entries: list[Entry], installed: Installation, token: str
) -> Iterator[Check]:
    what = f"{scope} settings"
    voids = find_voids(settings.document)
    for finding in voids:
        detail = f"{settings.path}: {finding.path}: {finding.message}; Claude Code ignores the whole file"
        yield fail(what, detail, f"interlock lint-settings {settings.path}")
    if entries and not voids:
        yield _complete(scope, settings, entries)
    for command in dict.fromkeys(entry.command for entry in entries):
        yield _program(what, command, installed, scope)
    if not scope.shared and any(set(token_argument(token)).isdisjoint(entry.command) for entry in entries):
        detail = "an entry lacks this installation's token, so a project could hold a copy that replaces it"
        yield warn(what, detail, f"{_INSTALL} --scope {scope}")


def _other_hooks(scope: Scope, settings: Settings, imported: Collection[str]) -> Iterator[Check]:
    others = (
        handler.path
        for handler in handlers_of(settings.hooks)
        if handler.event == EventName.PRE_TOOL_USE and not is_ours(handler.fields)
    )
    if names := ", ".join(path for path in others if path not in imported):
        detail = f"other hooks also run before tool calls, and can undo what Interlock changed: {names}"
        add = " --add" if scope in {Scope.USER, Scope.PROJECT} else ""
        yield warn(f"{scope} settings", detail, f"interlock import claude-code --scope {scope}{add}")


def _complete(scope: Scope, settings: Settings, entries: list[Entry]) -> Check:
    what = f"{scope} settings"
    missing = [event for event in ALWAYS if event not in {entry.event for entry in entries}]
    if not missing:
        return ok(what, f"{settings.path}: Interlock has entries for {len(entries)} events")
    detail = f"{settings.path}: no Interlock entry at {', '.join(missing)}"
    return (fail if EventName.PRE_TOOL_USE in missing else warn)(what, detail, f"{_INSTALL} --scope {scope}")


def _program(what: str, command: tuple[str, ...], installed: Installation, scope: Scope) -> Check:
    fix = f"{_INSTALL} --scope {scope}"
    wrong = _absent(Path(command[0])) or _other(Path(command[0]), installed)
    if wrong:
        return fail(what, f"`{command[0]}` {wrong}", fix)
    if installed.home is not None and "--home" not in command:
        return warn(what, f"the entry does not name the home {installed.home}", fix)
    return ok(what, f"runs {command[0]}")


def _absent(program: Path) -> str:
    if not program.is_absolute():
        return "is not a full path, so the project decides what runs"
    if not program.is_file():
        return "does not exist, and Claude Code goes on without it"
    return "" if os.access(program, os.X_OK) else "cannot be run, and Claude Code goes on without it"


def _other(program: Path, installed: Installation) -> str:
    if program.name == LAUNCHER:
        return "" if program.read_bytes() == launcher_text() else "is not the launcher that was installed"
    return "" if program == installed.shim else f"is not Interlock's `{installed.shim}`"


def _switches(settings: Mapping[Scope, Settings], entries: list[Entry]) -> Iterator[Check]:
    managed = settings.get(Scope.MANAGED)
    scopes = {entry.scope for entry in entries}
    if managed is not None and managed.document.get(_SWITCH) is True:
        yield fail(_SWITCH, f"{managed.path} turns every hook off", "remove it there")
    for key in ("allowManagedHooksOnly", "strictPluginOnlyCustomization"):
        if managed is not None and _on(managed.document.get(key)) and scopes - {Scope.MANAGED}:
            yield fail(key, f"{managed.path}: only managed hooks run", f"{_INSTALL} --scope managed")
    # Of the other scopes, the nearest that sets it counts.
    values = [
        (scope, file.document[_SWITCH])
        for scope, file in settings.items()
        if scope is not Scope.MANAGED and _SWITCH in file.document
    ]
    for index, (scope, value) in enumerate(values):
        fix = f"remove it there, or start with `{RUN}`" if scope is not Scope.USER else "remove it there"
        if value is True and index == 0 and Scope.MANAGED in scopes:
            detail = f"{settings[scope].path} turns hooks off; ours in the managed settings still run"
            yield warn(_SWITCH, detail, fix)
        elif value is True and index == 0:
            yield fail(_SWITCH, f"{settings[scope].path} turns hooks off", fix)
        elif value is True:
            detail = f"{settings[scope].path} turns hooks off, but the {values[0][0]} settings turn them on"
            yield warn(_SWITCH, detail, "remove it there")


def _on(value: object) -> bool:
    return value is True or (isinstance(value, list) and "hooks" in value)


# Events that a command of ours reports, and the setting where it has to stand.
_DRAWN_BY: Final = {
    EventName.STATUS_LINE: ("statusLine", "interlock status-line"),
    EventName.FILE_SUGGESTION: ("fileSuggestion", "interlock file-suggestion"),
}


def why_not_reported(event: str, settings: Mapping[Scope, Settings], project: Path) -> str | None:
    """Why a hook at an event would not run in this client, if so; nothing is said of one we are not in."""
    if event in _DRAWN_BY:
        key, command = _DRAWN_BY[EventName(event)]
        if any(_runs(file, key, command.partition(" ")[2]) for file in settings.values()):
            return None
        return f"no agent reports `{event}` yet; set `{key}` in Claude Code's settings to `{command}`"
    if event not in events_of():
        return f"no agent that Interlock knows reports `{event}`; this hook runs in Python agents only"
    reported = {entry.event for entry in our_entries(settings, project)}
    if not reported or event in reported:
        return None
    return f"Claude Code does not report `{event}` yet; run `interlock install claude-code`"


def _runs(settings: Settings, key: str, word: str) -> bool:
    entry = settings.document.get(key)
    command = entry.get("command") if isinstance(entry, dict) else None
    return isinstance(command, str) and word in command
