"""`interlock install --mcp`: our server in the client's own file, only when asked for."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.cli.typed import Interlock

STATE = '{\n  "userID": "u"\n}\n'


def test_without_the_flag_the_file_is_never_touched(interlock: Interlock, home: Path) -> None:
    """Neither made nor changed; an entry that is there stays as it is."""
    interlock("install", "claude-code")
    assert not (home / ".claude.json").exists()
    interlock("install", "claude-code", "--mcp")
    before = (home / ".claude.json").read_bytes()

    interlock("install", "claude-code")

    assert (home / ".claude.json").read_bytes() == before


@pytest.mark.deep
def test_the_server_is_registered_checked_and_removed(interlock: Interlock, home: Path) -> None:
    """With this home, by a full path; the doctor hears it answer; uninstalling leaves no trace."""
    file = home / ".claude.json"
    file.write_text(STATE)
    file.chmod(0o600)
    typed = interlock("install", "claude-code", "--mcp", "--json")
    server = json.loads(file.read_text())["mcpServers"]["interlock"]
    checks = interlock("doctor", "--json").document["checks"]
    said = [(check["state"], check["detail"]) for check in checks if check["what"] == "mcp server"]

    assert typed.code == 0
    assert typed.document["mcp"]["file"] == str(file)
    assert Path(typed.document["mcp"]["backup"]).read_text() == STATE
    assert server["command"] == sys.executable
    assert server["env"] == {"INTERLOCK_HOME": str(home / "interlock")}
    assert file.stat().st_mode & 0o777 == 0o600
    assert [state for state, _ in said] == ["ok", "ok"]
    assert said[1][1].startswith("answers, interlock ")

    interlock("uninstall", "claude-code")

    assert file.read_text() == STATE
    interlock("daemon", "stop")


def test_a_dry_run_shows_the_entry_and_writes_nothing(interlock: Interlock, home: Path) -> None:
    """As for hooks."""
    typed = interlock("install", "claude-code", "--mcp", "--dry-run")

    assert '+    "interlock": {' in typed.out
    assert not (home / ".claude.json").exists()


@pytest.mark.parametrize("scope", ["project", "local", "managed"])
def test_other_scopes_are_refused(interlock: Interlock, home: Path, scope: str) -> None:
    """Before anything is written."""
    typed = interlock("install", "claude-code", "--mcp", "--scope", scope)

    assert typed.code == 2
    assert "for the user" in typed.err
    assert not (home / "interlock" / "bin").exists()


def test_without_the_sdk_nothing_is_installed(
    interlock: Interlock, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that cannot start would be worse than none."""
    monkeypatch.setitem(sys.modules, "mcp", None)
    typed = interlock("install", "claude-code", "--mcp")

    assert typed.code == 2
    assert "pip install 'interlock[mcp]'" in typed.err
    assert not (home / ".claude").exists()


def test_another_server_of_the_name_stops_the_installation(interlock: Interlock, home: Path) -> None:
    """Neither it nor the hooks are written."""
    text = json.dumps({"mcpServers": {"interlock": {"type": "http", "url": "http://localhost:1"}}})
    (home / ".claude.json").write_text(text)
    typed = interlock("install", "claude-code", "--mcp")

    assert typed.code == 2
    assert (home / ".claude.json").read_text() == text
    assert not (home / ".claude").exists()
