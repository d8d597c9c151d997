"""How full a context window is, by the token counts in its transcript."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from interlock.features.work.transcripts.entry import SYNTHETIC, Entry, read_entry
from interlock.features.work.transcripts.file import tail

WINDOW: Final = 200_000  # tokens, where nothing says otherwise
LARGE_WINDOW: Final = 1_000_000
_LARGE: Final = "[1m]"  # how a model with the large window is named
# Most often the newest count is near the end; only a long tool result in between makes it worth to read more.
_TAILS: Final = (64 * 1024, 1024 * 1024)
_COUNTED: Final = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """What the newest answer of the model took in."""

    tokens: int
    model: str | None = None  # as the transcript names it

    def share(self, window: int | None = None, model: str | None = None) -> float:
        """The part of the window that is full, 0 to 1; the window is the model's unless one is given."""
        whole = window or window_of(model or self.model, self.tokens)
        return min(1.0, self.tokens / whole)


def window_of(model: str | None, tokens: int = 0) -> int:
    """The window of a model; a transcript leaves the mark of a large one out, but its counts give it away."""
    large = tokens > WINDOW or (model is not None and model.endswith(_LARGE))
    return LARGE_WINDOW if large else WINDOW


def usage_in(path: str, *, sub_agent: bool = False) -> Usage | None:
    """The usage by the end of a transcript; None where no count is found, or none since it was compacted."""
    for most in _TAILS:
        lines = tail(path, most)
        found = _newest(lines, sub_agent=sub_agent)
        if not isinstance(found, _Unseen):
            return found
    return None


class _Unseen:
    """Neither a count nor a compaction in the lines that were read."""


def _newest(lines: Iterable[bytes], *, sub_agent: bool = False) -> Usage | _Unseen | None:
    """The newest count in some lines; what a sub-agent took in does not fill its parent's window."""
    for line in reversed(tuple(lines)):
        entry = read_entry(line)
        if entry is None or (entry.is_sidechain and not sub_agent):
            continue
        if entry.compacted:
            return None
        tokens = _tokens(entry)
        if tokens is not None:
            model = entry.body.get("model")
            return Usage(tokens=tokens, model=model if isinstance(model, str) else None)
    return _Unseen()


def _tokens(entry: Entry) -> int | None:
    """What an answer took in; None for what is no answer of a model."""
    usage: Any = entry.body.get("usage")
    if entry.type != "assistant" or entry.body.get("model") == SYNTHETIC or not isinstance(usage, dict):
        return None
    counts = [usage.get(name) for name in _COUNTED]
    whole = [count for count in counts if isinstance(count, int) and not isinstance(count, bool)]
    return sum(max(0, count) for count in whole) if whole else None
