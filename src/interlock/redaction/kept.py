"""Words that are never hidden: where they stand in a text, also with quotes between their letters."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import re2

from interlock.redaction.finding import OWN, Span

_GROUP: Final = 64  # words in one expression
_LONGEST: Final = 4_096  # characters of a word: no path is longer
_MEMORY: Final = 64 * 1024 * 1024
# A shell reads `r\m`, `"r"m` and `rm` alike.
_QUOTES: Final = r"[\\\"']*"


class Kept:
    """The places of some words; with a letter or digit beside it, it is part of another word."""

    def __init__(self, words: Collection[str]) -> None:
        usable = sorted({word for word in words if word and len(word) <= _LONGEST}, key=len, reverse=True)
        self._words: Final = usable
        self._patterns: list[Any] | None = None

    def spans(self, text: bytes) -> Sequence[tuple[int, int]]:
        """Where they stand."""
        if not self._words:
            return ()
        if self._patterns is None:
            self._patterns = list(_compiled(self._words))
        return sorted({span for pattern in self._patterns for span in _found(pattern, text)})

    def around(self, text: bytes, spans: Iterable[Span]) -> tuple[Sequence[tuple[int, int]], Kept]:
        """What stays around secrets that are a part of a path, and what to keep once those are out."""
        places = self.spans(text)
        sure = sorted((span for span in spans if span.sure), key=lambda span: span.start) if places else []
        if not any(_part(text, place, span) for place in places for span in sure):
            return places, self
        pieces = [piece for place in places for piece in _pieces(text, place, sure)]
        words = (text[start:end].decode("utf-8", "replace") for start, end in pieces)
        return pieces, Kept([*self._words, *words])


def _part(text: bytes, place: tuple[int, int], span: Span) -> bool:
    """Whether a secret is one name of a path, or in one: it then hides nothing but itself."""
    start, end = place
    inside = start <= span.start and span.end <= end and b"/" not in text[span.start : span.end]
    return inside and (span.kind != OWN or (span.start, span.end) != place)


def _pieces(text: bytes, place: tuple[int, int], sure: Iterable[Span]) -> Iterator[tuple[int, int]]:
    start, end = place
    for span in sure:
        if span.start >= start and _part(text, (start, end), span):
            if start < span.start:
                yield start, span.start
            start = span.end
    if start < end:
        yield start, end


def _compiled(words: Sequence[str]) -> Iterator[Any]:
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.longest_match = True
    options.max_mem = _MEMORY
    for first in range(0, len(words), _GROUP):
        group = words[first : first + _GROUP]
        yield re2.compile("|".join(map(_spelling, group)).encode("latin-1"), options)


def _spelling(word: str) -> str:
    letters = word.encode("utf-8", "replace").decode("latin-1")
    return _QUOTES.join(map(re2.escape, letters))


def _found(pattern: Any, text: bytes) -> Iterator[tuple[int, int]]:
    position = 0
    while (match := pattern.search(text, position)) is not None:
        start, end = match.span()
        if _apart(text, start, start - 1) and _apart(text, end - 1, end):
            yield start, end
            position = end
        else:
            position = start + 1


def _apart(text: bytes, inside: int, outside: int) -> bool:
    """Whether a word ends between two neighbouring bytes."""
    if not 0 <= outside < len(text):
        return True
    return not (_is_letter(text[inside]) and _is_letter(text[outside]))


def _is_letter(byte: int) -> bool:
    return byte == ord("_") or chr(byte).isalnum()
