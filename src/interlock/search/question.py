"""What a person searches for: words, "phrases" and beginnings*; and the part of an entry that shows them."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from interlock.errors import InterlockError
from interlock.ledger.entry import Entry
from interlock.search.words import texts_of

_TERM: Final = re.compile(r'"(?P<phrase>[^"]*)"(?P<start>\*?)|(?P<word>\S+)')
_MOST: Final = 64
_LONGEST: Final = 1_000
_WORD: Final = re.compile(r"\w+")


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One word or phrase; its own words must follow each other."""

    text: str
    beginning: bool = False  # the last word may go on

    @property
    def words(self) -> list[str]:
        """The words in it; `src/app.py` has three."""
        return _WORD.findall(self.text.replace("_", " "))


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Terms that an entry must all have."""

    terms: tuple[Term, ...]

    @property
    def match(self) -> str:
        """The same for the index, every term in quotes: nothing a person types is its syntax."""
        return " AND ".join(
            f'"{" ".join(term.words)}"{" *" if term.beginning else ""}' for term in self.terms
        )

    def met(self, text: str) -> int:
        """How many of the terms stand in a text."""
        return sum(_pattern_of(term).search(text) is not None for term in self.terms)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the terms stand in a text, in order, for showing them."""
        found = [match.span() for term in self.terms for match in _pattern_of(term).finditer(text)]
        return sorted(span for span in found if span[1] > span[0])


def parse_question(text: str) -> Question:
    """Read what was typed; one sentence says what is wrong with it."""
    if len(text) > _LONGEST:
        raise InterlockError(f"{len(text):,} characters are too many to search for; use a few words")
    clean = text.encode("utf-8", "replace").decode()
    terms = [term for term in map(_term, _TERM.finditer(clean)) if term.words]
    if not terms:
        raise InterlockError(f"`{text}` has no letter or digit to search for; give a word")
    if len(terms) > _MOST:
        raise InterlockError(f"{len(terms)} words are too many to search for; use at most {_MOST}")
    return Question(terms=tuple(terms))


def _term(match: re.Match[str]) -> Term:
    if match["phrase"] is not None:
        return Term(text=match["phrase"], beginning=bool(match["start"]))
    word = match["word"]
    return Term(text=word.rstrip("*"), beginning=word.endswith("*"))


def _pattern_of(term: Term) -> re.Pattern[str]:
    between = r"[\W_]+".join(map(re.escape, term.words))
    end = r"[^\W_]*" if term.beginning else r"(?![^\W_])"
    return re.compile(rf"(?<![^\W_]){between}{end}", re.IGNORECASE)


_BEFORE: Final = 40  # characters shown before the first match
_SHOWN: Final = 160
_CUT: Final = "…"


def excerpt(entry: Entry, question: Question) -> tuple[str, list[tuple[int, int]]]:
    """The part of the entry where most of the question is met, and where in it the words stand."""
    text = max(texts_of(entry.body), key=question.met, default="")
    spans = question.spans(text)
    if not spans:  # found without an accent, or in text too long to search here
        return _cut(text, 0), []
    start = max(0, spans[0][0] - _BEFORE)
    moved = start - len(_CUT) if start else 0
    end = start + _SHOWN
    return _cut(text, start), [(a - moved, b - moved) for a, b in spans if b <= end]


def _cut(text: str, start: int) -> str:
    """A part of the text, with a mark at each end where something is missing."""
    part = text[start : start + _SHOWN]
    return f"{_CUT if start else ''}{part}{_CUT if start + _SHOWN < len(text) else ''}"
