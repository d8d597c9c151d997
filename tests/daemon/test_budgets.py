"""Laws of the time the hooks of an event have."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.hosts.claude_code.recorded import HOST

from interlock.daemon.host_notes import Budgets
from interlock.hosts.host_notes import note_waiting


def test_a_note_written_while_the_daemon_runs_counts_at_the_next_event(tmp_path: Path) -> None:
    """Without a note the usual time; after installing the host's; after uninstalling the usual again."""
    file = tmp_path / "note"
    budgets = Budgets(file)
    found = [budgets.seconds(HOST, "PreToolUse")]
    note_waiting(file, HOST.name, Path("/s"), {"PreToolUse": 100})
    found.append(budgets.seconds(HOST, "PreToolUse"))
    note_waiting(file, HOST.name, Path("/s"), {})
    found.append(budgets.seconds(HOST, "PreToolUse"))

    assert found == [54, 90, 54]


@pytest.mark.req("M49")
def test_a_turn_is_sent_back_as_often_as_installing_raised_it(tmp_path: Path) -> None:
    """The host's own cap otherwise, and never less than that."""
    file = tmp_path / "noted"
    budgets = Budgets(file)
    assert budgets.rounds(HOST) == 7
    note_waiting(file, HOST.name, tmp_path / "settings.json", {"Stop": 30, "stop_rounds": 50})
    assert budgets.rounds(HOST) == 50
    note_waiting(file, HOST.name, tmp_path / "settings.json", {"Stop": 30, "stop_rounds": 2})
    assert budgets.rounds(HOST) == 7
