"""The part of an entry that shows why it was found."""

from __future__ import annotations

from typing import Final

from interlock.ledger.entry import Entry
from interlock.search.question import Question
from interlock.search.words import texts_of

_BEFORE: Final = 40  # characters shown before the first match
_SHOWN: Final = 160
_CUT: Final = "…"


def excerpt(entry: Entry, question: Question) -> tuple[str, list[tuple[int, int]]]:
    """The part of the entry where most of the question is met, and where in it the words stand."""
    text = max(texts_of(entry.body), key=question.met, default="")
    spans = question.spans(text)
    if not spans:  # found without an accent, or in what is too long to be looked through here
        return _cut(text, 0), []
    start = max(0, spans[0][0] - _BEFORE)
    moved = start - len(_CUT) if start else 0
    end = start + _SHOWN
    return _cut(text, start), [(a - moved, b - moved) for a, b in spans if b <= end]


def _cut(text: str, start: int) -> str:
    """A part of the text, with a mark at each end where something is missing."""
    part = text[start : start + _SHOWN]
    return f"{_CUT if start else ''}{part}{_CUT if start + _SHOWN < len(text) else ''}"
