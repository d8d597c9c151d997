"""A program's arguments written as a list, `["mysql", "-p…"]`: read as the line that would run the same."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import re2

_GAP: Final = r"(?:\s|\\+[nrt])*"  # also as a JSON text inside a text has it
_ITEM: Final = r"\\*(?:\"[^\"\n]*\"|'[^'\n]*')"
# What would end a word of a line, or its value, stands inside one here.
_INSIDE: Final = bytes.maketrans(b" \t\r\n\v\f\"'\\;|&<>`", b"_" * 15)


class Piece(NamedTuple):
    """A stretch of one item."""

    item: int
    start: int
    end: int


class Line:
    """Items side by side with a space between, and the way back from the line to them."""

    def __init__(self, items: Sequence[bytes]) -> None:
        self.text: Final = b" ".join([item.translate(_INSIDE) for item in items])
        self._starts: Final[list[int]] = []
        self._items: Final = items
        at = 0
        for item in items:
            self._starts.append(at)
            at += len(item) + 1

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """A stretch of the line as stretches of items."""
        index = bisect_right(self._starts, start) - 1
        while index < len(self._starts) and (begin := self._starts[index]) < end:
            first, last = max(start - begin, 0), min(end - begin, len(self._items[index]))
            if first < last:
                yield Piece(index, first, last)
            index += 1


@cache
def _patterns() -> tuple[Any, Any]:
    """A list, and an item of one; compiled when they are first needed, as all others are."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    whole = rf"\[{_GAP}{_ITEM}(?:{_GAP},{_GAP}{_ITEM})+{_GAP},?{_GAP}\]"
    return re2.compile(whole.encode(), options), re2.compile(rb"\"([^\"\n]*)\"|'([^'\n]*)'", options)


def lists_in(text: bytes) -> Iterator[tuple[Line, list[int]]]:
    """Every list of words in a text as a line, with the places where its items begin."""
    if b"[" not in text:
        return
    for found in _patterns()[0].finditer(text):
        starts, items = [], []
        for start, end in _items(text, *found.span()):
            starts.append(start)
            items.append(text[start:end])
        yield Line(items), starts


def _items(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    for item in _patterns()[1].finditer(text[start:end]):
        first, last = item.span(item.lastindex or 0)
        while last > first and text[start + last - 1] == ord("\\"):
            last -= 1  # of the quote that closes it
        yield start + first, start + last
