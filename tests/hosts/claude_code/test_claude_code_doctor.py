"""What the settings of all scopes together mean for us."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from interlock.files.own_files import write_whole
from interlock.hosts.claude_code.doctor import check_settings, our_entries, read_scopes
from interlock.hosts.claude_code.install import carry_out, launcher_text, plan_install
from interlock.hosts.claude_code.settings import Scope, SettingsPlaces, settings_places
from interlock.hosts.host import Check, State
from interlock.hosts.launching import Installation

TOKEN = "0123456789abcdef" * 2
NOW = datetime(2026, 1, 2, tzinfo=UTC)


@pytest.fixture
def places(tmp_path: Path) -> SettingsPlaces:
    """Settings of all scopes below one folder."""
    return settings_places(
        {}, home=tmp_path / "home", cwd=tmp_path / "project", platform="linux", managed=tmp_path / "etc"
    )


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    """A shim in its place."""
    place = Installation(folder=tmp_path / "bin", home=None)
    write_whole(place.shim, b"#!/bin/sh\n", mode=0o755)
    return place


def put(places: SettingsPlaces, scope: Scope, installed: Installation) -> None:
    """Install in a scope."""
    plan = plan_install(places, scope, installed, token=TOKEN)
    carry_out(plan, NOW)
    if plan.launcher:
        write_whole(plan.launcher, launcher_text(), mode=0o755)


def add(places: SettingsPlaces, scope: Scope, **keys: Any) -> None:
    """Write keys into the settings of a scope."""
    file = places.file(scope)
    before = json.loads(file.read_text()) if file.exists() else {}
    write_whole(file, json.dumps({**before, **keys}).encode(), mode=0o600)


def checked(places: SettingsPlaces, installed: Installation) -> list[Check]:
    """Everything found, good and bad."""
    settings, unreadable = read_scopes(places)
    return [*unreadable, *check_settings(settings, places, installed, TOKEN)]


def faults(places: SettingsPlaces, installed: Installation) -> list[tuple[State, str]]:
    """What is not well."""
    return [(check.state, check.what) for check in checked(places, installed) if check.state is not State.OK]


@pytest.mark.req("T11")
@pytest.mark.parametrize("scope", list(Scope))
def test_every_scope_can_be_installed_in(
    places: SettingsPlaces, installed: Installation, scope: Scope
) -> None:
    """Nothing is found fault with, and the program named is there."""
    put(places, scope, installed)

    assert faults(places, installed) == []
    programs = {Path(entry.command[0]) for entry in our_entries(read_scopes(places)[0], places.project)}
    assert programs == {places.launcher(scope) if scope.shared else installed.shim}
    assert places.file(scope).stat().st_mode & 0o777 == (0o644 if scope.shared else 0o600)


def test_the_plugin_alone_is_less_than_entries(places: SettingsPlaces, installed: Installation) -> None:
    """It guards where Claude Code loads it, which no settings file tells."""
    assert (State.FAIL, "entries") in faults(places, installed)

    add(places, Scope.USER, enabledPlugins={"interlock@interlock": True})

    assert (State.WARN, "entries") in faults(places, installed)


def test_a_launcher_that_was_changed_is_named(places: SettingsPlaces, installed: Installation) -> None:
    """Everybody who works in the project runs it."""
    put(places, Scope.PROJECT, installed)
    places.launcher(Scope.PROJECT).write_text("#!/bin/sh\nexit 0\n")

    assert faults(places, installed) == [(State.FAIL, "project settings")]


@pytest.mark.parametrize(
    ("switches", "expected"),
    [
        ({Scope.USER: {"disableAllHooks": True}}, [State.FAIL]),
        ({Scope.PROJECT: {"disableAllHooks": True}}, [State.FAIL]),
        ({Scope.USER: {"disableAllHooks": True}, Scope.PROJECT: {"disableAllHooks": False}}, [State.WARN]),
        ({Scope.USER: {"disableAllHooks": False}, Scope.LOCAL: {"disableAllHooks": True}}, [State.FAIL]),
        ({Scope.MANAGED: {"disableAllHooks": True}}, [State.FAIL]),
        ({Scope.MANAGED: {"allowManagedHooksOnly": True}}, [State.FAIL]),
        ({Scope.MANAGED: {"strictPluginOnlyCustomization": ["hooks"]}}, [State.FAIL]),
        ({Scope.MANAGED: {"strictPluginOnlyCustomization": ["skills"]}}, []),
        ({Scope.USER: {"disableAllHooks": False}}, []),
    ],
)
def test_switches_count_by_their_precedence(
    places: SettingsPlaces, installed: Installation, switches: dict[Scope, Any], expected: list[State]
) -> None:
    """The nearest file that says anything counts; the machine's above all."""
    put(places, Scope.USER, installed)
    for scope, keys in switches.items():
        add(places, scope, **keys)

    assert [state for state, _ in faults(places, installed)] == expected


def test_an_entry_below_a_matcher_is_none(places: SettingsPlaces, installed: Installation) -> None:
    """It does not hear of every call."""
    handler = {"type": "command", "command": str(installed.shim), "args": ["claude-code"]}
    add(places, Scope.USER, hooks={"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]})

    assert faults(places, installed) == [(State.FAIL, "entries")]


def test_in_the_home_folder_one_file_is_looked_at_once(tmp_path: Path, installed: Installation) -> None:
    """There the project's settings are the user's."""
    places = settings_places({}, home=tmp_path, cwd=tmp_path, platform="linux", managed=tmp_path / "etc")
    put(places, Scope.USER, installed)

    assert {check.what for check in checked(places, installed)} == {"user settings"}
