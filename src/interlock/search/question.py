"""A question to the search index, and how questions and entries are split into words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Any, Final

import msgspec

from interlock.errors import InterlockError
from interlock.ledger.entry import COLUMNS, Entry, Row, body_of

_LONGEST_TEXT: Final = 4_000  # characters of one text
_ALL: Final = 16_000  # characters of all texts of an entry
_DEEPEST: Final = 12
_BETWEEN: Final = "\n\ue000\n"  # a private character is a word, so no phrase goes from text to text
# Numbers, names and digests that are facts already, or that nobody looks for by a word.
_LEFT_OUT: Final = frozenset(
    {
        *("session_id", "event", "tool", "decision", "tool_use_id", "agent_id", "host", "revision", "digest"),
        *("trace", "skipped", "permission_mode", "sha256", "hash", "prev_hash", "signature"),
    }
)
_COLUMN: Final = {name: place for place, name in enumerate(COLUMNS)}


class Fact(StrEnum):
    """What an entry can be asked for by its exact value; the letter begins its word in the index."""

    SESSION = "s"
    ACTOR = "a"
    TOOL = "t"
    DECISION = "d"
    RULE = "r"
    OP = "o"
    COMMITMENT = "c"


_OF_COLUMN: Final = (
    (Fact.SESSION, _COLUMN["session_id"]),
    (Fact.ACTOR, _COLUMN["actor"]),
    (Fact.TOOL, _COLUMN["tool"]),
    (Fact.DECISION, _COLUMN["decision"]),
    (Fact.OP, _COLUMN["op"]),
)


@lru_cache(maxsize=4_096)
def fact_word(fact: Fact, value: str) -> str:
    """One word for one fact, whatever characters its value has: the index would take it apart."""
    return fact + blake2b(value.encode("utf-8", "replace"), digest_size=8).hexdigest()


def words_of(row: Row) -> tuple[int, str, str]:
    """The row of the index for a row of the ledger: seq, facts and texts."""
    body = body_of(row[_COLUMN["payload"]])
    facts = [fact_word(fact, row[place]) for fact, place in _OF_COLUMN if row[place] is not None]
    if rule := rule_of(body):
        facts.append(fact_word(Fact.RULE, rule))
    commitments = commitments_of(body)
    facts += [fact_word(Fact.COMMITMENT, commitment) for commitment in commitments]
    # Their names come first, so that nothing long keeps them out.
    return row[0], " ".join(facts), _BETWEEN.join(_cut_text(chain(commitments, texts_of(body))))


def rule_of(body: dict[str, Any]) -> str | None:
    """The hook an entry is due to: that decided, or that kept this evidence."""
    hook = body.get("decided_by") or body.get("hook")
    return hook if isinstance(hook, str) else None


def commitments_of(body: dict[str, Any]) -> list[str]:
    """The commitment an entry was made under, and the one it is about."""
    ids = (body.get("commitment_id"), body.get("commitment"))
    return [commitment for commitment in dict.fromkeys(ids) if isinstance(commitment, str)]


def texts_of(body: dict[str, Any]) -> Iterator[str]:
    """Every text of a body a person might remember a word of, in the order it is written."""
    for key, value in body.items():
        if key not in _LEFT_OUT:
            yield from _texts(value, 0)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        if value:
            yield value
    elif depth < _DEEPEST and isinstance(value, (dict, list)):
        for below in value.values() if isinstance(value, dict) else value:
            yield from _texts(below, depth + 1)


def _cut_text(texts: Iterator[str]) -> Iterator[str]:
    remaining = _ALL
    for text in texts:
        head = text[: min(_LONGEST_TEXT, remaining)]
        remaining -= len(head)
        yield head
        if remaining <= 0:
            return


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
        """The query for the index; every term is quoted, so that it is never read as syntax."""
        return " AND ".join(
            f'"{" ".join(term.words)}"{" *" if term.beginning else ""}' for term in self.terms
        )

    def met(self, text: str) -> int:
        """Return how many of the terms a text contains."""
        return sum(_pattern_of(term).search(text) is not None for term in self.terms)

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the places of the terms in a text, in order."""
        matches = [match.span() for term in self.terms for match in _pattern_of(term).finditer(text)]
        return sorted(span for span in matches if span[1] > span[0])


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
