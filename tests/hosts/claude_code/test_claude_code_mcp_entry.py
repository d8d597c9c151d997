"""Our server among the user's MCP servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from interlock.hosts.claude_code.mcp_entry import check_server, our_server, plan_no_server, plan_server
from interlock.hosts.claude_code.settings import (
    SettingsError,
    SettingsPlaces,
    settings_places,
    write_settings,
)
from interlock.hosts.host import State
from interlock.hosts.launching import Installation

OTHER = {"type": "stdio", "command": "/bin/other", "args": []}
STATE = {"userID": "u", "mcpServers": {"other": OTHER}, "projects": {"/p": {"x": [1, 2]}}}


@pytest.fixture
def places(tmp_path: Path) -> SettingsPlaces:
    """The client's places in a home of its own."""
    return settings_places({}, home=tmp_path, cwd=tmp_path / "p", platform="linux")


@pytest.fixture
def installed(tmp_path: Path) -> Installation:
    """An installation in the usual place."""
    return Installation(folder=tmp_path / "bin", home=None)


def register(places: SettingsPlaces, installed: Installation, python: str = sys.executable) -> None:
    """Write the entry."""
    write_settings(plan_server(places, our_server(python, installed)).after)


def states(places: SettingsPlaces, installed: Installation) -> list[State]:
    """What the doctor says."""
    return [check.state for check in check_server(places, installed)]


def test_the_client_s_own_file_is_found_as_the_client_finds_it(tmp_path: Path) -> None:
    """Beside the settings folder, or inside the one a variable names."""
    usual = settings_places({}, home=tmp_path, cwd=tmp_path, platform="linux")
    named = settings_places(
        {"CLAUDE_CONFIG_DIR": str(tmp_path / "c")}, home=tmp_path, cwd=tmp_path, platform="linux"
    )

    assert usual.servers == tmp_path / ".claude.json"
    assert named.servers == tmp_path / "c" / ".claude.json"


@pytest.mark.parametrize("text", [json.dumps(STATE, indent=2), json.dumps(STATE), '{\n\t"userID": "u"\n}\n'])
def test_the_rest_of_the_file_stays_and_comes_back(
    places: SettingsPlaces, installed: Installation, text: str
) -> None:
    """Put in and taken out again, every byte is as it was."""
    places.servers.write_text(text)
    register(places, installed)
    document: Any = json.loads(places.servers.read_text())

    assert document["mcpServers"]["interlock"]["args"] == ["-I", "-m", "interlock.mcp_server"]
    assert {**document, "mcpServers": json.loads(text).get("mcpServers")}.items() >= json.loads(text).items()
    assert not plan_server(places, our_server(sys.executable, installed)).changes
    assert plan_no_server(places).after.text == text


def test_a_file_of_ours_alone_goes(places: SettingsPlaces, installed: Installation) -> None:
    """Nobody else has written it."""
    register(places, installed)

    assert plan_no_server(places).after.text is None


def test_another_server_of_the_name_is_left_alone(places: SettingsPlaces, installed: Installation) -> None:
    """Registering refuses, taking out does nothing, the doctor is silent."""
    places.servers.write_text(json.dumps({"mcpServers": {"interlock": OTHER}}))

    with pytest.raises(SettingsError, match="another MCP server called `interlock`"):
        plan_server(places, our_server(sys.executable, installed))
    assert not plan_no_server(places).changes
    assert states(places, installed) == []


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": {}, "mcpServers": {}}', "{", "[]"])
def test_a_file_that_cannot_be_read_is_not_written(
    places: SettingsPlaces, installed: Installation, text: str
) -> None:
    """One sentence says what is wrong with it."""
    places.servers.write_text(text)

    with pytest.raises(SettingsError):
        plan_server(places, our_server(sys.executable, installed))
    assert states(places, installed) == [State.WARN]


def test_the_doctor_looks_at_what_was_asked_for(
    places: SettingsPlaces, installed: Installation, tmp_path: Path
) -> None:
    """Nothing where nothing is registered; a program that is gone or another home is a fault."""
    assert states(places, installed) == []
    register(places, installed)
    assert states(places, installed) == [State.OK]
    assert states(places, Installation(folder=tmp_path, home=tmp_path / "home")) == [State.FAIL]
    register(places, installed, python="/nonexistent/python")
    assert states(places, installed) == [State.FAIL]


def test_a_project_that_takes_the_name_is_told(places: SettingsPlaces, installed: Installation) -> None:
    """The client would start another program behind the same tools."""
    places.project.mkdir()
    (places.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"interlock": OTHER}}))
    register(places, installed)

    assert states(places, installed) == [State.WARN, State.OK]
