"""Whether Claude Code will ask us: its settings of every scope, looked at as the client reads them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from interlock.events.names import EventName
from interlock.events.tool import JsonObject
from interlock.hosts.check import Check, fail, ok, warn
from interlock.hosts.claude_code.disarming import RUN, check_projects
from interlock.hosts.claude_code.entries import ALWAYS, handlers_of, is_ours, program_of
from interlock.hosts.claude_code.installing import launcher_text
from interlock.hosts.claude_code.lint import Weight, lint
from interlock.hosts.claude_code.scopes import LAUNCHER, Scope, SettingsPlaces
from interlock.hosts.claude_code.settings import Settings, SettingsError, read_settings
from interlock.hosts.installation_token import token_argument
from interlock.hosts.launching import Installed

_INSTALL: Final = "interlock install claude-code"
_PROJECT_DIR: Final = "${CLAUDE_PROJECT_DIR}"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One of our entries, as the client would run it."""

    scope: Scope
    event: str
    command: tuple[str, ...]


def read_scopes(places: SettingsPlaces) -> tuple[dict[Scope, Settings], list[Check]]:
    """The settings that are there, and a failure for each file that cannot be read."""
    found: dict[Scope, Settings] = {}
    failures = []
    for scope in Scope:
        # Typed in the home folder, the project's file is the user's.
        if scope is Scope.PROJECT and places.file(scope) == places.file(Scope.USER):
            continue
        try:
            settings = read_settings(places.file(scope))
        except SettingsError as error:
            failures.append(fail(f"{scope} settings", str(error), "correct the file"))
            continue
        if settings.text is not None:
            found[scope] = settings
    return found, failures


def our_entries(settings: Mapping[Scope, Settings], project: Path) -> list[Entry]:
    """Our entries in all scopes, the managed first."""
    return [
        Entry(scope=scope, event=event, command=_command(handler, project))
        for scope, one in settings.items()
        for event, _, _, handler, matcher in handlers_of(one.hooks)
        if is_ours(handler) and matcher in {None, "", "*"}
    ]


def _command(handler: JsonObject, project: Path) -> tuple[str, ...]:
    words = [program_of(handler) or "", *handler.get("args", [])]
    return tuple(word.replace(_PROJECT_DIR, str(project)) for word in words)


def check_settings(
    settings: Mapping[Scope, Settings], places: SettingsPlaces, installed: Installed, token: str
) -> Iterator[Check]:
    """Everything that can keep the client from asking us."""
    entries = our_entries(settings, places.project)
    if not entries:
        yield fail("entries", "no settings file has our entries, so nothing is guarded", _INSTALL)
    for scope, one in settings.items():
        yield from _scope(scope, one, [entry for entry in entries if entry.scope is scope], installed, token)
    yield from _switches(settings, entries)
    yield from check_projects(settings, places)


def _scope(
    scope: Scope, settings: Settings, entries: list[Entry], installed: Installed, token: str
) -> Iterator[Check]:
    what = f"{scope} settings"
    voids = [finding for finding in lint(settings.document) if finding.weight is Weight.VOID]
    for finding in voids:
        detail = f"{settings.path}: {finding.path}: {finding.message}; the client skips the whole file"
        yield fail(what, detail, f"interlock lint-settings {settings.path}")
    if entries and not voids:
        yield _complete(scope, settings, entries)
    for command in dict.fromkeys(entry.command for entry in entries):
        yield _program(what, command, installed, scope)
    if not scope.shared and any(set(token_argument(token)).isdisjoint(entry.command) for entry in entries):
        detail = "an entry lacks this installation's token, so a project could hold a copy that replaces it"
        yield warn(what, detail, f"{_INSTALL} --scope {scope}")
    others = [
        f"hooks.{event}[{i}].hooks[{j}]"
        for event, i, j, handler, _ in handlers_of(settings.hooks)
        if event == EventName.PRE_TOOL_USE and not is_ours(handler)
    ]
    if others:
        detail = f"{', '.join(others)} also speak before tool calls and can undo a rewrite of ours"
        yield warn(what, detail, "interlock import claude-code")


def _complete(scope: Scope, settings: Settings, entries: list[Entry]) -> Check:
    what = f"{scope} settings"
    missing = [event for event in ALWAYS if event not in {entry.event for entry in entries}]
    if not missing:
        return ok(what, f"{settings.path}: our entries at {len(entries)} events")
    mend = f"{_INSTALL} --scope {scope}"
    detail = f"{settings.path}: no entry of ours at {', '.join(missing)}"
    return (fail if EventName.PRE_TOOL_USE in missing else warn)(what, detail, mend)


def _program(what: str, command: tuple[str, ...], installed: Installed, scope: Scope) -> Check:
    """The client goes on without us when the program it names is not there."""
    mend = f"{_INSTALL} --scope {scope}"
    wrong = _absent(Path(command[0])) or _other(Path(command[0]), installed)
    if wrong:
        return fail(what, f"`{command[0]}` {wrong}", mend)
    if installed.home is not None and "--home" not in command:
        return warn(what, f"the home {installed.home} is not named", mend)
    return ok(what, f"runs {command[0]}")


def _absent(program: Path) -> str:
    if not program.is_absolute():
        return "is no full path: the project decides what runs"
    if not program.is_file():
        return "is gone, and the client goes on without it"
    return "" if os.access(program, os.X_OK) else "cannot be run, and the client goes on without it"


def _other(program: Path, installed: Installed) -> str:
    if program.name == LAUNCHER:
        return "" if program.read_bytes() == launcher_text() else "is not the launcher that was installed"
    return "" if program == installed.shim else f"is not our `{installed.shim}`"


def _switches(settings: Mapping[Scope, Settings], entries: list[Entry]) -> Iterator[Check]:
    managed = settings.get(Scope.MANAGED)
    scopes = {entry.scope for entry in entries}
    if managed is not None and managed.document.get("disableAllHooks") is True:
        yield fail("disableAllHooks", f"{managed.path} switches every hook off", "remove it there")
    for key in ("allowManagedHooksOnly", "strictPluginOnlyCustomization"):
        if managed is not None and _on(managed.document.get(key)) and scopes - {Scope.MANAGED}:
            yield fail(key, f"{managed.path}: only managed hooks run", f"{_INSTALL} --scope managed")
    # Of the others the nearest that says anything counts.
    said = [
        (scope, one.document["disableAllHooks"])
        for scope, one in settings.items()
        if scope is not Scope.MANAGED and "disableAllHooks" in one.document
    ]
    for index, (scope, value) in enumerate(said):
        mend = f"remove it there, or start with: {RUN}" if scope is not Scope.USER else "remove it there"
        if value is True and index == 0 and Scope.MANAGED in scopes:
            detail = (
                f"{settings[scope].path} switches hooks off; ours in the managed settings run all the same"
            )
            yield warn("disableAllHooks", detail, mend)
        elif value is True and index == 0:
            yield fail("disableAllHooks", f"{settings[scope].path} switches hooks off", mend)
        elif value is True:
            detail = f"{settings[scope].path} switches hooks off, and {said[0][0]} settings say no"
            yield warn("disableAllHooks", detail, "remove it there")


def _on(value: object) -> bool:
    return value is True or (isinstance(value, list) and "hooks" in value)
