"""Finds every secret in a text, as spans of its bytes; a list of arguments is read as a command line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import re2

from interlock.redaction.assigned import assigned_in, is_member_secret, names_pattern
from interlock.redaction.kinds import ASSIGNED, KINDS, OWN, Kind, Span, compile_bytes
from interlock.redaction.names import has_letters_and_digits, normal_name, stands_for
from interlock.redaction.places import PLACES

LONG: Final = 32_768  # bytes; in shorter texts, looking for each is as quick
_REPEATS: Final = 16  # of hints that were found, before what is left is looked for alone


def hints_in(text: bytes, hints: frozenset[bytes]) -> frozenset[bytes]:
    """Return the hints that a text contains, also overlapping ones."""
    missing, at, repeats, pattern = set(hints), 0, 0, _any_of(hints)
    while pattern is not None and (match := pattern.search(text, at)) is not None:
        hint, at = match.group(), match.start() + 1
        # The longest is what is matched; whatever else begins at the same place is a beginning of it.
        fresh = missing.intersection([hint[: end + 1] for end in range(len(hint))])
        missing -= fresh
        repeats = 0 if fresh else repeats + 1
        if repeats == _REPEATS:
            repeats, pattern = 0, _any_of(frozenset(missing))
    return hints - missing


@lru_cache(maxsize=64)
def _any_of(hints: frozenset[bytes]) -> Any | None:
    """Return an expression for the longest of some hints, None if there are none."""
    longest_first = sorted(hints, key=lambda hint: (-len(hint), hint))
    return compile_bytes("|".join(re2.escape(hint.decode()) for hint in longest_first)) if hints else None


_GAP: Final = r"(?:\s|\\+[nrt])*"  # also as a JSON text inside a text has it
_ITEM: Final = r"\\*(?:\"[^\"\n]*\"|'[^'\n]*')"
# Characters that would end a word of a line are a part of an item here.
_INSIDE: Final = bytes.maketrans(b" \t\r\n\v\f\"'\\;|&<>`", b"_" * 15)


class Piece(NamedTuple):
    """A span of one item."""

    item: int
    start: int
    end: int


class Line:
    """Items joined by spaces, with a way to find the item at a place of the line."""

    def __init__(self, items: Sequence[bytes]) -> None:
        self.text: Final = b" ".join([item.translate(_INSIDE) for item in items])
        self._starts: Final[list[int]] = []
        self._items: Final = items
        at = 0
        for item in items:
            self._starts.append(at)
            at += len(item) + 1

    def pieces(self, start: int, end: int) -> Iterator[Piece]:
        """Yield the spans of items for a span of the line."""
        index = bisect_right(self._starts, start) - 1
        while index < len(self._starts) and (begin := self._starts[index]) < end:
            first, last = max(start - begin, 0), min(end - begin, len(self._items[index]))
            if first < last:
                yield Piece(index, first, last)
            index += 1


@cache
def _list_patterns() -> tuple[Any, Any]:
    """Return the expressions for a list and an item; compiled when first needed."""
    whole = rf"\[{_GAP}{_ITEM}(?:{_GAP},{_GAP}{_ITEM})+{_GAP},?{_GAP}\]"
    return compile_bytes(whole), compile_bytes(r"\"([^\"\n]*)\"|'([^'\n]*)'")


def lists_in(text: bytes) -> Iterator[tuple[Line, list[int]]]:
    """Yield every list of words in a text as a line, and where its items begin."""
    if b"[" not in text:
        return
    for match in _list_patterns()[0].finditer(text):
        starts, items = [], []
        for start, end in _items(text, *match.span()):
            starts.append(start)
            items.append(text[start:end])
        yield Line(items), starts


def _items(text: bytes, start: int, end: int) -> Iterable[tuple[int, int]]:
    for item in _list_patterns()[1].finditer(text[start:end]):
        first, last = item.span(item.lastindex or 0)
        while last > first and text[start + last - 1] == ord("\\"):
            last -= 1  # of the quote that closes it
        yield start + first, start + last


MOST_MATCHES: Final = 1_024  # of one kind in one text


class _Look(NamedTuple):
    """A kind, ready to be looked for."""

    kind: Kind
    hints: tuple[bytes, ...]
    pattern: Any
    each: Any | None


def _look(kind: Kind) -> _Look:
    each = compile_bytes(kind.each) if kind.each is not None else None
    return _Look(kind, tuple(kind.hints.encode().split(b"|")), compile_bytes(kind.pattern), each)


@cache
def _looks() -> tuple[tuple[_Look, ...], tuple[_Look, ...]]:
    """Every kind and place; compiled when the first secret may be there, since most texts have none."""
    return tuple(map(_look, KINDS)), tuple(map(_look, PLACES))


class Finder:
    """Finds what is secret by its looks, its place, its name, or a pattern of the user's."""

    def __init__(self, own_patterns: Sequence[Any] = (), own_names: Collection[str] = ()) -> None:
        self._own: Final = tuple(own_patterns)
        self.has_own: Final = bool(self._own)  # patterns that no trigger knows
        self._own_names: Final = frozenset(map(normal_name, own_names))
        self._names: Final = names_pattern(own_names)

    def spans(self, text: bytes) -> list[Span]:
        """Return all spans by our own tables; they may overlap."""
        looks = _select_hinted(_looks()[0], text)
        spans = [span._replace(sure=True) for look in looks for span in _limit(_matches(look, text), text)]
        spans += [*_find_by_place(text), *_limit(_find_in_lists(text), text)]
        return spans + [Span(*span, ASSIGNED) for span in assigned_in(text, self._names, self._own_names)]

    def is_secret(self, name: str, value: str) -> bool:
        """Return whether a member of an object is a secret by its name."""
        return is_member_secret(name, value, self._own_names)

    @staticmethod
    def in_arguments(items: Sequence[str]) -> list[tuple[Piece, str]]:
        """Return the secrets in a list of texts, read as a program and its arguments."""
        line = Line([item.encode("utf-8", "replace") for item in items])
        return [
            (piece, span.kind)
            for span in _find_by_place(line.text)
            for piece in line.pieces(span.start, span.end)
        ]

    @staticmethod
    def all_of(text: bytes, kind: str) -> Span:
        """Return the whole text as one secret."""
        return Span(0, len(text), kind)

    def own_spans(self, text: bytes) -> list[Span]:
        """Return what the user's own patterns match: the group, if a pattern has one."""
        secrets = []
        for pattern in self._own:
            group = 1 if pattern.groups else 0
            spans = (match.span(group) for match in pattern.finditer(text))
            hits = (Span(start, end, OWN, _irregular(text[start:end])) for start, end in spans if start < end)
            secrets += list(_limit(hits, text))
        return secrets


def _limit(spans: Iterator[Span], text: bytes) -> Iterator[Span]:
    """Yield the first spans; if there are too many, the rest of the text becomes one span."""
    for count, span in enumerate(spans):
        if count == MOST_MATCHES:
            yield Span(span.start, len(text), span.kind)
            return
        yield span


def _find_by_place(text: bytes) -> Iterator[Span]:
    """Yield what is secret by its place in a header or a command."""
    for look in _select_hinted(_looks()[1], text.lower()):
        yield from _limit(_matches(look, text), text)


def _find_in_lists(text: bytes) -> Iterator[Span]:
    """Yield the same for commands that are written as lists."""
    for line, starts in lists_in(text):
        for span in _find_by_place(line.text):
            for item, start, end in line.pieces(span.start, span.end):
                yield Span(starts[item] + start, starts[item] + end, span.kind)


def _irregular(piece: bytes) -> bool:
    """Return whether a match is irregular; careless patterns such as `.*` also match plain words."""
    return has_letters_and_digits(piece.decode("utf-8", "replace")) and not any(
        blank in piece for blank in b" \t\n;|&"
    )


def _select_hinted(looks: Sequence[_Look], text: bytes) -> list[_Look]:
    """Return the kinds for which a text contains a hint."""
    if len(text) < LONG:
        return [look for look in looks if any(hint in text for hint in look.hints)]
    hints = hints_in(text, frozenset(hint for look in looks for hint in look.hints))
    return [look for look in looks if not hints.isdisjoint(look.hints)]


def _matches(look: _Look, text: bytes) -> Iterator[Span]:
    kind = look.kind
    for start, end in _stretches(look, text):
        value = text[start:end].decode("utf-8", "replace")
        if (kind.mixed and not has_letters_and_digits(value)) or (kind.literal and stands_for(value)):
            continue
        if start < end:
            yield Span(start, end, kind.name)


def _stretches(look: _Look, text: bytes) -> Iterator[tuple[int, int]]:
    for match in look.pattern.finditer(text):
        start, end = match.span(match.lastindex or 0)
        if look.each is None:
            yield start, end
            continue
        for part in look.each.finditer(text[start:end]):
            first, last = part.span(part.lastindex or 0)
            yield start + first, start + last
