"""From stretches to the text without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from interlock.redaction.finding import Span
from interlock.redaction.marks import mark_of, marks_in

# So that a text never grows much: whatever is found after so many is one stretch with all between.
MOST_MARKS: Final = 256
_ASCII: Final = 127


def hide(
    text: bytes, spans: Iterable[Span], key: bytes | None, kept: Sequence[tuple[int, int]] = ()
) -> bytes:
    """The text with a mark for every stretch; earlier marks and what is `kept` stay as they are."""
    merged = _bounded(_merged(spans))
    if not merged:
        return text
    holes = sorted([*marks_in(text), *kept])
    parts: list[bytes] = []
    done = 0
    for start, end, kind, _ in _without(merged, holes, text):
        parts += (text[done:start], mark_of(kind, text[start:end], key))
        done = end
    parts.append(text[done:])
    return b"".join(parts) if done else text


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Overlapping stretches as one, under the name of the first; of equal ones the first found."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and (span.start < merged[-1].end or _continues(merged[-1], span)):
            last = merged.pop()
            merged.append(Span(last.start, max(last.end, span.end), last.kind))
        else:
            merged.append(span)
    return merged


def _continues(last: Span, span: Span) -> bool:
    return span.start == last.end and span.kind == last.kind


def _bounded(spans: list[Span]) -> list[Span]:
    if len(spans) <= MOST_MARKS:
        return spans
    first = spans[MOST_MARKS - 1]
    return [*spans[: MOST_MARKS - 1], Span(first.start, spans[-1].end, first.kind)]


def _without(spans: Iterable[Span], holes: Sequence[tuple[int, int]], text: bytes) -> Iterable[Span]:
    """The pieces of the stretches between the holes; one that holds no letter or digit tells nothing."""
    index = 0
    for start, end, kind, _ in spans:
        position, cut = start, False
        while index < len(holes) and holes[index][1] <= start:
            index += 1
        at = index
        while at < len(holes) and holes[at][0] < end:
            cut = True
            if holes[at][0] > position and _tells(text[position : holes[at][0]]):
                yield Span(position, holes[at][0], kind)
            position = max(position, holes[at][1])
            at += 1
        if position < end and (not cut or _tells(text[position:end])):
            yield Span(position, end, kind)


def _tells(piece: bytes) -> bool:
    return any(byte > _ASCII or chr(byte).isalnum() for byte in piece)
