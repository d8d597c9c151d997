"""How full a window is, is read again only when its transcript has grown."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from interlock.features.work.transcript import UsageMemory


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    return tmp_path / "t.jsonl"


def answered(transcript: Path, tokens: int) -> str:
    message = {"role": "assistant", "model": "claude-x", "usage": {"input_tokens": tokens}}
    with transcript.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps({'type': 'assistant', 'message': message})}\n")
    return str(transcript)


def test_a_grown_transcript_is_read_again_and_no_other(transcript: Path) -> None:
    """By its size and the time of its last change."""
    memory = UsageMemory()
    path = answered(transcript, 50_000)
    assert memory.share(path, None) == pytest.approx(0.25)
    known = transcript.stat()
    transcript.write_bytes(b"x" * (known.st_size - 1) + b"\n")
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert memory.share(path, None) == pytest.approx(0.25)

    answered(transcript, 100_000)
    assert memory.share(path, None) == pytest.approx(0.5)


def test_a_window_that_was_large_once_stays_so(transcript: Path) -> None:
    """After a compaction its counts are small again; the window is not."""
    memory = UsageMemory()
    assert memory.share(answered(transcript, 300_000), None) == pytest.approx(0.3)
    assert memory.share(answered(transcript, 190_000), None) == pytest.approx(0.19)


def test_what_the_host_says_of_the_model_counts(transcript: Path) -> None:
    """Only the start of some sessions tells it; a window set by people stands above it."""
    memory = UsageMemory()
    path = answered(transcript, 190_000)
    memory.note_model(path, "claude-x")
    assert memory.share(path, None) == pytest.approx(0.95)
    memory.note_model(path, "claude-x[1m]")
    assert memory.share(path, None) == pytest.approx(0.19)
    assert memory.share(path, 380_000) == pytest.approx(0.5)


def test_nobody_knows_without_a_transcript(transcript: Path) -> None:
    """Unknown, not empty."""
    memory = UsageMemory()
    assert memory.share(None, None) is None
    assert memory.share("", None) is None
    assert memory.share("a\0b", None) is None
    assert memory.share(str(transcript), None) is None
