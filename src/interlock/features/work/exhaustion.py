"""Why an agent stopped that did not want to: no more calls for now, or no more room in its window."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from interlock.features.work.transcripts.entry import Entry, read_entry
from interlock.features.work.transcripts.file import tail

LINES: Final = 50
_BYTES: Final = 256 * 1024
_CONTEXT: Final = (
    "prompt is too long",
    "conversation is too long",
    "context_length_exceeded",
    "exceed context limit",
    "context window",
)
_RATE: Final = (
    "rate limit",
    "rate_limit",
    "ratelimit",
    "too many requests",
    "usage limit",
    "hit your limit",
    "limit reached",
    "(429)",
)


class Exhaustion(StrEnum):
    """What ran out."""

    RATE_LIMIT = "rate_limit"
    CONTEXT = "context"


def exhaustion_in(path: str) -> Exhaustion | None:
    """What the end of a transcript says."""
    return exhausted(tail(path, _BYTES)[-LINES:])


def exhausted(lines: Sequence[bytes]) -> Exhaustion | None:
    """What ran out by the end of some lines; an answer of the model after an error means that it went on.

    Only what the client itself reports counts: an agent that reads a file about rate limits has not met one.
    """
    for line in reversed(lines):
        entry = read_entry(line)
        if entry is None or entry.type != "assistant":
            continue
        return exhausted_by(_words(entry)) if entry.failed else None
    return None


def exhausted_by(text: str) -> Exhaustion | None:
    """What an error of the model's API says ran out."""
    folded = text.casefold()
    if any(words in folded for words in _CONTEXT):
        return Exhaustion.CONTEXT
    return Exhaustion.RATE_LIMIT if any(words in folded for words in _RATE) else None


def _words(entry: Entry) -> str:
    limited = " (429)" if entry.api_error_status == 429 else ""  # noqa: PLR2004 the status for too many requests
    return f"{entry.text} {entry.error or ''}{limited}"
