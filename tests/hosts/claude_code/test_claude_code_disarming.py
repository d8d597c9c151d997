"""Every way in which a project's settings disarm entries that stand elsewhere, named with file and key."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from interlock.hosts.claude_code.doctor import check_projects, check_settings, read_scopes
from interlock.hosts.claude_code.install import carry_out, plan_install
from interlock.hosts.claude_code.settings import Scope, SettingsPlaces, settings_places
from interlock.hosts.host import Check, State
from interlock.hosts.launching import Installation

TOKEN = "0123456789abcdef" * 2


@pytest.fixture
def places(tmp_path: Path) -> SettingsPlaces:
    """A project in a folder of a home."""
    home = tmp_path / "home"
    return settings_places(
        {}, home=home, cwd=home / "src" / "app", platform="linux", managed=tmp_path / "etc"
    )


def installed(places: SettingsPlaces, scope: Scope = Scope.USER, token: str = TOKEN) -> dict[str, Any]:
    """Install in a scope; give the entry before tool calls."""
    plan = plan_install(places, scope, Installation(folder=Path("/opt/bin"), home=None), token=token)
    carry_out(plan, datetime(2026, 1, 2, tzinfo=UTC))
    entry: dict[str, Any] = plan.after.hooks["PreToolUse"][0]["hooks"][0]
    return entry


def write(folder: Path, document: Any, name: str = "settings.json") -> Path:
    """Settings of a project."""
    file = folder / ".claude" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))
    return file


def copy_of(entry: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """Settings with a copy of an entry that differs in some keys."""
    return {"hooks": {"PreToolUse": [{"hooks": [{**entry, **keys}]}]}}


def found(places: SettingsPlaces) -> list[Check]:
    """What is said of projects."""
    return list(check_projects(read_scopes(places)[0], places))


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
@pytest.mark.parametrize(
    ("key", "value"), [("timeout", 0.01), ("async", True), ("asyncRewake", True), ("onFailure", "continue")]
)
def test_a_weaker_copy_of_an_entry_fails(places: SettingsPlaces, name: str, key: str, value: Any) -> None:
    """With file, key, and what to do."""
    file = write(places.project, copy_of(installed(places), **{key: value}), name)

    [check] = found(places)
    assert check.state is State.FAIL
    assert check.detail.startswith(f"{file}: hooks.PreToolUse[0].hooks[0].{key}: ")
    assert "interlock run -- claude" in check.next


def test_a_copy_that_differs_in_what_counts_is_another_hook(places: SettingsPlaces) -> None:
    """A guess without the token, and a copy that is no weaker."""
    entry = installed(places)
    write(places.project, copy_of(entry, args=["claude-code"], timeout=0.01))
    write(places.project, copy_of(entry, timeout=90), "settings.local.json")

    assert found(places) == []


@pytest.mark.parametrize(
    ("document", "key", "state"),
    [
        ({"enabledPlugins": {"interlock@market": False}}, "enabledPlugins.interlock@market", State.FAIL),
        ({"enabledPlugins": {"mine@market": False}}, "enabledPlugins.mine@market", State.WARN),
        ({"env": {"CLAUDE_CODE_SIMPLE": "1"}}, "env.CLAUDE_CODE_SIMPLE", State.FAIL),
        ({"env": {"LD_PRELOAD": "/proc/self/cwd/x.so"}}, "env.LD_PRELOAD", State.WARN),
        ({"env": {"XDG_DATA_HOME": "/proc/self/cwd"}}, "env.XDG_DATA_HOME", State.WARN),
    ],
)
def test_other_keys_that_disarm_are_named(
    places: SettingsPlaces, document: dict[str, Any], key: str, state: State
) -> None:
    """A plugin of the user, and variables for the client and for what a hook runs."""
    installed(places)
    user = places.file(Scope.USER)
    user.write_text(json.dumps({**json.loads(user.read_text()), "enabledPlugins": {"mine@market": True}}))
    file = write(places.project, document)

    assert [(check.state, check.detail.partition(f"{file}: {key}: ")[0]) for check in found(places)] == [
        (state, "")
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"enabledPlugins": {"other@market": False, "interlock@market": True}},
        {"env": {"CLAUDE_CODE_SIMPLE": "0", "NODE_ENV": "test"}},
        {"enabledPlugins": [], "env": "x", "hooks": []},
    ],
)
def test_what_disarms_nothing_is_not_named(places: SettingsPlaces, document: dict[str, Any]) -> None:
    """Nor what the client cannot read."""
    installed(places)
    write(places.project, document)

    assert found(places) == []


def test_a_folder_above_counts_for_sessions_that_start_there(places: SettingsPlaces) -> None:
    """The client reads the folder it starts in; the user's own file is not a project's."""
    installed(places)
    above = write(places.project.parent, {"disableAllHooks": True})
    write(places.project.parent, {"disableAllHooks": False}, "settings.local.json")
    (places.project / ".claude").mkdir(parents=True)
    (places.project / ".claude" / "settings.json").write_text("{")

    [check] = found(places)
    assert check.state is State.WARN
    assert check.detail.startswith(f"{above}: disableAllHooks: ")


def test_managed_entries_run_all_the_same(places: SettingsPlaces) -> None:
    """Then a project's switch is worth knowing, and no failure."""
    installed(places, Scope.MANAGED)
    entry = installed(places)
    write(places.project, {"disableAllHooks": True, **copy_of(entry, timeout=0.01)})
    settings = read_scopes(places)[0]
    here = Installation(folder=Path("/opt/bin"), home=None)

    checks = [check for check in check_settings(settings, places, here, TOKEN) if "project" in check.detail]
    assert len(found(places)) == 1
    assert {check.state for check in found(places)} == {State.WARN}
    assert State.FAIL not in {check.state for check in checks if "turns hooks off" in check.detail}


def test_an_entry_without_the_token_is_named(places: SettingsPlaces) -> None:
    """Of an earlier installation, or of another home."""
    installed(places, token="")
    settings = read_scopes(places)[0]
    here = Installation(folder=Path("/opt/bin"), home=None)

    details = [check.detail for check in check_settings(settings, places, here, TOKEN)]
    assert any("lacks this installation's token" in detail for detail in details)
