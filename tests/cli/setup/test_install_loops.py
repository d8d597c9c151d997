"""`interlock install --loops`: the client's cap on how often a turn is sent back, raised and put back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.setup.test_install import MINE, document, user_file
from tests.cli.typed import Interlock

CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"


def variables(home: Path) -> Any:
    """What the client's settings put into its environment."""
    return document(user_file(home)).get("env")


@pytest.mark.req("M49")
@pytest.mark.parametrize("text", [None, MINE, '{"env": {"A": "b"}}\n'])
def test_loops_raise_the_cap_and_uninstalling_restores_every_byte(
    interlock: Interlock, home: Path, text: str | None
) -> None:
    """One above ours, beside what was there; installing again keeps it, and so does nothing else."""
    file = user_file(home, text)
    others = json.loads(text).get("env", {}) if text else {}
    assert interlock("install", "claude-code", "--loops", "50").code == 0
    assert variables(home) == {**others, CAP: "51"}
    once = file.read_bytes()
    interlock("install", "claude-code")

    assert file.read_bytes() == once
    interlock("uninstall", "claude-code")
    assert (file.read_text() if file.exists() else None) == text


def test_a_cap_that_somebody_changed_since_is_theirs(interlock: Interlock, home: Path) -> None:
    """Nor is one touched that was there without us."""
    file = user_file(home)
    interlock("install", "claude-code", "--loops", "50")
    file.write_text(file.read_text().replace('"51"', '"99"'))
    interlock("uninstall", "claude-code")
    assert variables(home) == {CAP: "99"}
    interlock("install", "claude-code")
    interlock("uninstall", "claude-code")
    assert variables(home) == {CAP: "99"}


def test_loops_without_sense_are_refused(interlock: Interlock, home: Path) -> None:
    """None, or variables that are not an object; nothing is written."""
    assert interlock("install", "claude-code", "--loops", "0").code == 2
    user_file(home, '{"env": 3}\n')
    typed = interlock("install", "claude-code", "--loops", "9")
    assert typed.code != 0
    assert user_file(home).read_text() == '{"env": 3}\n'
