"""Laws of the calls no daemon decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from interlock.daemon.offline_files import drop_gaps, note_gap, note_lost, take_gaps

LINES = """\
100 7 PostToolUse passed: the daemon is silent
101 8 PreToolUse paused: the daemon does not come up
105 9 PostToolUse passed: the daemon is silent
107 10 PreToolUse refused: its input of 20000000 bytes is larger than 16 MiB
"""


@pytest.mark.req("F03", "F08")
def test_every_line_is_counted_by_event_and_by_what_became_of_it(tmp_path: Path) -> None:
    """The entry says how many, which events, when, and that a refused call did not pass."""
    (tmp_path / "gaps").write_text(LINES + "108 11 PostTo")

    assert take_gaps(tmp_path / "gaps") == {
        "lost": 4,
        "why": "these calls were made without a daemon and are not in the ledger",
        "first": "100",
        "last": "107",
        "events": {"PostToolUse": 2, "PreToolUse": 2},
        "outcomes": {"passed": 2, "paused": 1, "refused": 1},
    }


@pytest.mark.parametrize("text", [None, "", "garbage\n", "\xff\xfe\n\n"])
def test_nothing_noted_is_nothing_told(tmp_path: Path, text: str | None) -> None:
    """No file, an empty one or one of garbage makes no entry, and is not looked at twice."""
    if text is not None:
        (tmp_path / "gaps").write_text(text)

    assert take_gaps(tmp_path / "gaps") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.req("F08")
def test_what_was_taken_and_never_recorded_is_taken_again(tmp_path: Path) -> None:
    """A daemon that dies before its commit leaves the lines to the next, apart from newer ones."""
    gaps = tmp_path / "gaps"
    gaps.write_text(LINES)
    first = take_gaps(gaps)
    gaps.write_text("200 1 Stop passed: the daemon is silent\n")

    again = take_gaps(gaps)
    drop_gaps(gaps)
    newer = take_gaps(gaps)
    drop_gaps(gaps)

    assert again == first
    assert newer is not None
    assert (newer["lost"], newer["first"]) == (1, "200")
    assert take_gaps(gaps) is None


@pytest.mark.req("F08")
def test_a_noted_line_is_read_back_whatever_the_reason_holds(tmp_path: Path) -> None:
    """Newlines and odd characters in a reason make no second line, and the file is private."""
    gaps = tmp_path / "state" / "gaps"
    note_gap(gaps, "PostToolUse", "line one\nline two \ud800", clock=lambda: 100.9)
    note_gap(gaps, "", "no name", clock=lambda: 101)

    assert gaps.stat().st_mode & 0o777 == 0o600
    found = take_gaps(gaps)
    assert found is not None
    assert (found["lost"], found["first"], found["events"]) == (2, "100", {"PostToolUse": 1, "-": 1})
    assert found["outcomes"] == {"passed": 2}


@pytest.mark.req("F08")
def test_what_a_daemon_could_not_record_until_its_end_is_counted_too(tmp_path: Path) -> None:
    """Each lost entry is a line; none lost is not a file."""
    note_lost(tmp_path / "gaps", 0)
    assert list(tmp_path.iterdir()) == []

    note_lost(tmp_path / "gaps", 3)
    note_gap(tmp_path / "gaps", "PostToolUse", "the daemon is silent")
    found = take_gaps(tmp_path / "gaps")

    assert found is not None
    assert (found["lost"], found["outcomes"]) == (4, {"unrecorded": 3, "passed": 1})
