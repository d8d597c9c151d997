"""`interlock import claude-code`: hooks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.typed import Interlock

SETTINGS = {
    "hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]},
            {"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]},
        ]
    }
}


@pytest.fixture
def settings(home: Path) -> Path:
    """The user's settings with two hooks."""
    file = home / ".claude" / "settings.json"
    file.parent.mkdir()
    file.write_text(json.dumps(SETTINGS))
    return file


@pytest.mark.deep
def test_the_policy_decides_as_the_hooks_did(interlock: Interlock, settings: Path, work: Path) -> None:
    """What was carried over denies, and what was not is said on stderr and in the file."""
    typed = interlock("import", "claude-code", "--out", "imported.key")

    simulated = interlock(
        "hooks", "simulate", "--config", "imported.key", "--tool", "Bash", "--args", "ls", "--json"
    )
    assert typed.code == 0
    assert "left out: hooks.PreToolUse[1].hooks[0]: Interlock calls no MCP tools" in typed.err
    assert "# left out: hooks.PreToolUse[1].hooks[0]" in (work / "imported.key").read_text()
    assert simulated.document["decision"] == "deny"
    assert json.loads(settings.read_text()) == SETTINGS


def test_without_a_file_the_policy_is_printed(interlock: Interlock, settings: Path) -> None:
    """Alone on stdout, to be piped."""
    typed = interlock("import", "claude-code")

    assert typed.out.startswith("# Imported from ")
    assert "imported 1 rule" in typed.err


def test_a_file_that_is_there_is_not_replaced(interlock: Interlock, settings: Path, work: Path) -> None:
    """Unless that was asked for."""
    (work / "mine.key").write_text("mine")

    refused = interlock("import", "claude-code", "--out", "mine.key")
    kept = (work / "mine.key").read_text()
    replaced = interlock("import", "claude-code", "--out", "mine.key", "--force", "--json")

    assert (refused.code, kept) == (2, "mine")
    assert replaced.document["imported"] == 1
    assert (work / "mine.key").read_text() == replaced.document["policy"]


def test_no_settings_is_an_error(interlock: Interlock, home: Path) -> None:
    """There is nothing to import from."""
    assert interlock("import", "claude-code").code == 2
