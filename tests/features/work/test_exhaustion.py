"""An agent that ran out of calls or of room is told apart from one that is done."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interlock.features.work.transcript import (
    LINES,
    Exhaustion,
    exhaustion_in,
    exhaustion_of,
    find_exhaustion,
)


def entry(text: str, *, kind: str = "assistant", **more: Any) -> bytes:
    message = {"role": kind, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": kind, "message": message, **more}).encode()


def error(text: str, **more: Any) -> bytes:
    return entry(text, isApiErrorMessage=True, **more)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # The first two as the client writes them.
        (error("Prompt is too long", error="invalid_request", apiErrorStatus=400), Exhaustion.CONTEXT),
        (
            error("API Error: Request rejected (429) · This would exceed your limit", error="rate_limit"),
            Exhaustion.RATE_LIMIT,
        ),
        (error("conversation is too long"), Exhaustion.CONTEXT),
        (error("400 context_length_exceeded"), Exhaustion.CONTEXT),
        (error("No.", apiErrorStatus=429), Exhaustion.RATE_LIMIT),
        (error("You've hit your limit · resets 3pm"), Exhaustion.RATE_LIMIT),
        (error("API Error: 500 oops"), None),
        (entry("Prompt is too long"), None),
        (entry("rate limit exceeded", kind="user"), None),
    ],
)
@pytest.mark.req("E70")
def test_the_last_error_says_what_ran_out(line: bytes, expected: Exhaustion | None) -> None:
    """By the client's own report alone: words about limits in a file are not a limit."""
    assert find_exhaustion([entry("I work."), line]) == expected


@pytest.mark.req("E70")
def test_an_agent_that_went_on_ran_out_of_nothing() -> None:
    """A retry that worked is the end of the matter."""
    assert find_exhaustion([error("rate limit"), entry("All done.")]) is None
    assert find_exhaustion([error("rate limit"), entry("go on", kind="user")]) is Exhaustion.RATE_LIMIT
    assert find_exhaustion([error("rate limit"), b"nonsense", b""]) is Exhaustion.RATE_LIMIT
    assert find_exhaustion([]) is None


@pytest.mark.req("E70")
def test_the_last_fifty_lines_are_looked_at(tmp_path: Path) -> None:
    """What is further back is over."""
    note = entry("x", kind="user")
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"\n".join([error("rate limit"), *[note] * (LINES - 1), b""]))
    assert exhaustion_in(str(file)) is Exhaustion.RATE_LIMIT
    file.write_bytes(b"\n".join([error("rate limit"), *[note] * LINES, b""]))
    assert exhaustion_in(str(file)) is None
    assert exhaustion_in(str(tmp_path / "missing")) is None


def test_an_error_in_an_event_is_read_the_same_way() -> None:
    """Hosts that say why a turn failed need no transcript."""
    assert exhaustion_of("rate_limit") is Exhaustion.RATE_LIMIT
    assert exhaustion_of("prompt is too long: 210000 tokens > 200000 maximum") is Exhaustion.CONTEXT
    assert exhaustion_of("overloaded") is None
