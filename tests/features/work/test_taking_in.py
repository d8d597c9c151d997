"""What was said in a session is kept from its transcript, to the end of its last turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.features.work.hooked import UUID, Hooked


def say(transcript: Path, *texts: str) -> str:
    """Let people say something in a session."""
    with transcript.open("a", encoding="utf-8") as file:
        for text in texts:
            message = {"role": "user", "content": text}
            file.write(f"{json.dumps({'type': 'user', 'message': message})}\n")
    return str(transcript)


@pytest.mark.req("E53")
def test_each_moment_reads_on_where_the_last_one_ended(hooked: Hooked, tmp_path: Path) -> None:
    """The offset is kept with the session; nothing is kept twice, and a broken line stops nothing."""
    _, session = hooked.begun()
    path = say(tmp_path / "t.jsonl", "one")
    hooked.ask("PostToolUse", transcript_path=path)
    hooked.ask("PostToolUse", transcript_path=path)
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("no entry\n")
    say(tmp_path / "t.jsonl", "two")
    hooked.ask("Stop", transcript_path=path)

    assert hooked.said(session.id) == [("user", "one"), ("user", "two")]
    kept = hooked.session(session.id)
    assert (kept.transcript_path, kept.transcript_offset) == (path, Path(path).stat().st_size)


def test_the_end_of_a_turn_belongs_to_the_session_that_was_handed_over(
    hooked: Hooked, tmp_path: Path
) -> None:
    """It has ended, and its window goes on until the turn is over."""
    _, session = hooked.begun()
    path = say(tmp_path / "t.jsonl", "before")
    hooked.ask("PostToolUse", transcript_path=path)
    hooked.work.sessions.end(session.id, "dehydrated")
    say(tmp_path / "t.jsonl", "after")
    hooked.ask("Stop", transcript_path=path)

    assert hooked.said(session.id) == [("user", "before"), ("user", "after")]
    assert hooked.work.sessions.open_of(UUID) is None


def test_what_is_said_in_a_session_at_nothing_is_not_kept(hooked: Hooked, tmp_path: Path) -> None:
    """It is nobody's business."""
    hooked.ask("SessionStart")
    hooked.ask("Stop", transcript_path=say(tmp_path / "t.jsonl", "private"))

    assert hooked.rows()["messages"] == []
