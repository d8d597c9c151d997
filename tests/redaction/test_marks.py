"""The key of the fingerprints."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from tests.builders import call

from interlock.builtin_hooks.self_protection.hook import self_protection
from interlock.engine.engine import Engine
from interlock.errors import StoreError
from interlock.events.verdict import Vote
from interlock.policy.locations import locate
from interlock.policy.protected_paths import guarded_at
from interlock.redaction.marks import KEY_FILE, redaction_key


def test_a_key_is_made_once_and_is_its_users_alone(tmp_path: Path) -> None:
    """The second daemon finds the key of the first; a deleted one is replaced by another."""
    first = redaction_key(tmp_path)

    assert redaction_key(tmp_path) == first
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    (tmp_path / KEY_FILE).unlink()
    assert redaction_key(tmp_path) != first


@pytest.mark.parametrize("content", ["", "zz", "00" * 31])
def test_a_file_that_holds_no_key_is_an_error_that_says_what_to_do(tmp_path: Path, content: str) -> None:
    """Fingerprints under half a key would be guessed."""
    (tmp_path / KEY_FILE).write_text(content)
    (tmp_path / KEY_FILE).chmod(0o600)
    with pytest.raises(StoreError, match="delete it"):
        redaction_key(tmp_path)


def test_a_key_others_can_read_and_a_link_are_refused(tmp_path: Path) -> None:
    """Whoever knows the key can try out what a fingerprint stands for."""
    redaction_key(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    with pytest.raises(StoreError, match="chmod 600"):
        redaction_key(tmp_path)
    (tmp_path / KEY_FILE).unlink()
    (tmp_path / KEY_FILE).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="delete it"):
        redaction_key(tmp_path)


@pytest.mark.req("L10")
@pytest.mark.parametrize("tool", ["Read", "Write"])
def test_no_call_of_an_agent_reads_or_changes_it(tmp_path: Path, tool: str) -> None:
    """It is guarded like the ledger it belongs to."""
    locations = locate({"INTERLOCK_HOME": str(tmp_path)}, home=tmp_path, cwd=tmp_path, uid=0)
    guard = self_protection(guarded_at(locations, {}, home=tmp_path))
    event = call(tool, tool_input={"file_path": str(locations.state / KEY_FILE)}, cwd="/")

    assert Engine([guard]).decide_sync(event).vote is Vote.DENY
