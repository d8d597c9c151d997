"""`interlock install --permissions`: the client's own rules for our commands, put in and taken out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.setup.test_install import MINE, document, user_file
from tests.cli.typed import Interlock

HANDOVERS = "Edit(*_HANDOVER_*.json)"
OWN = '{"permissions": {"deny": ["Bash(rm *)"], "allow": ["Bash(ls *)"]}}\n'


def allowed(file: Path) -> list[str]:
    """What the client runs without asking."""
    found: list[str] = document(file).get("permissions", {}).get("allow", [])
    return found


@pytest.mark.deep
@pytest.mark.req("E40", "E49")
@pytest.mark.parametrize("text", [None, MINE, OWN])
def test_the_rules_are_offered_added_once_and_taken_out_again(
    interlock: Interlock, home: Path, text: str | None
) -> None:
    """By the bare name and by the whole path; uninstalling restores every byte."""
    file = user_file(home, text)
    program = home / "interlock" / "bin" / "interlock"
    rules = ["Bash(interlock *)", f"Bash({program} *)", HANDOVERS]
    before = allowed(file) if text else []
    offered = interlock("install", "claude-code").out
    assert all(f"`{rule}`" in offered for rule in rules)
    assert allowed(file) == before

    added = interlock("install", "claude-code", "--permissions").out
    assert "--permissions" not in added
    assert allowed(file) == [*before, *rules]
    once = file.read_bytes()
    interlock("install", "claude-code", "--permissions")
    interlock("install", "claude-code")
    assert file.read_bytes() == once

    interlock("uninstall", "claude-code")
    assert (file.read_text() if file.exists() else None) == text


def test_a_rule_that_was_there_before_stays(interlock: Interlock, home: Path) -> None:
    """A person may have had it from elsewhere; only what is missing is offered."""
    text = '{"permissions": {"allow": ["Bash(interlock *)"]}}\n'
    file = user_file(home, text)
    offered = interlock("install", "claude-code").out
    interlock("uninstall", "claude-code")

    assert "`Bash(interlock *)`" not in offered
    assert HANDOVERS in offered
    assert file.read_text() == text


def test_a_shared_file_names_nobodys_path(
    interlock: Interlock, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is checked in is read on other machines."""
    monkeypatch.delenv("INTERLOCK_HOME")
    typed = interlock("install", "claude-code", "--scope", "project", "--permissions", "--json")

    assert allowed(work / ".claude" / "settings.json") == ["Bash(interlock *)", HANDOVERS]
    assert typed.document["missing_permissions"] == []


@pytest.mark.parametrize("permissions", [3, {"allow": "Bash"}])
def test_permissions_of_another_shape_are_named_and_left(
    interlock: Interlock, home: Path, permissions: object
) -> None:
    """Nothing is written over."""
    text = json.dumps({"permissions": permissions})
    file = user_file(home, text)
    typed = interlock("install", "claude-code", "--permissions")

    assert typed.code != 0
    assert "permissions" in typed.err
    assert file.read_text() == text
