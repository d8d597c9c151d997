"""Laws of the note that says how long hosts wait."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.hosts.claude_code.recorded import HOST

from interlock.hosts.host_notes import note_waiting, read_waiting, waits

USER, PROJECT = Path("/home/user/settings.json"), Path("/project/settings.json")


def test_of_several_entries_the_shortest_counts(tmp_path: Path) -> None:
    """Whichever settings are in force, no more time is taken than the host surely gives."""
    file = tmp_path / "note"
    note_waiting(file, "a", USER, {"PreToolUse": 300, "Stop": 30})
    note_waiting(file, "a", PROJECT, {"PreToolUse": 120})
    note_waiting(file, "b", USER, {"PreToolUse": 10})
    noted = read_waiting(file)

    assert [waits(noted, "a", name) for name in ("PreToolUse", "Stop", "Setup")] == [120, 30, None]
    assert waits(noted, "c", "Stop") is None


def test_a_settings_file_without_entries_is_no_longer_named(tmp_path: Path) -> None:
    """Uninstalling takes its times out and leaves the others."""
    file = tmp_path / "note"
    note_waiting(file, "a", USER, {"Stop": 30})
    note_waiting(file, "a", PROJECT, {"Stop": 10})
    note_waiting(file, "a", PROJECT, {})

    assert read_waiting(file) == {"a": {str(USER): {"Stop": 30}}}


def test_the_same_note_is_not_written_again(tmp_path: Path) -> None:
    """Installing twice changes nothing."""
    file = tmp_path / "note"
    note_waiting(file, "a", USER, {"Stop": 30})
    before = file.stat().st_ino
    note_waiting(file, "a", USER, {"Stop": 30})

    assert file.stat().st_ino == before
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"[]", b'{"a":{"b":{"c":"x"}}}', b'{"\xff":{}}'])
def test_a_note_that_cannot_be_read_leaves_the_usual_times(tmp_path: Path, content: bytes) -> None:
    """Nothing is noted, and the host's own budget counts."""
    file = tmp_path / "note"
    file.write_bytes(content)

    assert read_waiting(file) == {}
    assert HOST.budget("PreToolUse", None) == HOST.budget("PreToolUse") == 54


@pytest.mark.req("D04")
def test_a_longer_wait_gives_hooks_more_time_up_to_the_ceiling() -> None:
    """What the host waits, less the way; a shorter wait gives less."""
    assert HOST.budget("PreToolUse", 334) == pytest.approx(300.6)
    assert HOST.budget("PreToolUse", 20) == 18
    assert HOST.budget("PreToolUse", 10_000) == 540
