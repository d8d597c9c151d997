"""What a hook changed in an input, line by line."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

import msgspec

from interlock.events.tool import JsonObject


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    marked: bool = False


def pieces(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """Split a text at its marks; overlapping marks count once."""
    found, at = [], 0
    for begin, end in marks:
        if begin < at:
            continue
        found += [Piece(text=text[at:begin]), Piece(text=text[begin:end], marked=True)]
        at = end
    found.append(Piece(text=text[at:]))
    return tuple(piece for piece in found if piece.text)


def without_diff(body: JsonObject) -> tuple[JsonObject, list[str]]:
    """Take the diff out of a body, since nobody can read it inside JSON."""
    data: Any = body.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("diff"), str):
        return body, []
    lines = data["diff"].split("\n")
    return {**body, "data": {**data, "diff": f"{len(lines) - 1} lines, below"}}, lines[:-1] or lines


_MOST: Final = 2_000  # lines; a longer input is shown without comparing
_AROUND: Final = 3
_LONGEST, _PAIRS = 500, 50  # characters per line and lines in a row to compare by words
_ALIKE: Final = 0.4  # below this, two lines have too little in common to mark words
_WORD: Final = re.compile(r"\w+|\s+|.")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a difference: `same`, `removed`, `added`, or `left_out` for what did not change."""

    kind: str
    text: str
    pieces: tuple[Piece, ...] = ()  # the text with its changed words marked


_KIND: Final = {" ": "same", "-": "removed", "+": "added", "@": "left_out"}


def lines_of(value: JsonObject) -> list[str]:
    """An input as lines: each member under its name, with the lines of its text."""
    return [line for name, inner in value.items() for line in _member(name, inner)]


def _member(name: str, value: object) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)
    first, *rest = text.split("\n")
    if not rest:
        yield f"{name}: {first}"
        return
    yield f"{name}:"
    yield from (f"  {line}" for line in (first, *rest))


def differences(before: JsonObject, after: JsonObject) -> tuple[Line, ...]:
    """The lines removed and added, with some context."""
    old, new = lines_of(before), lines_of(after)
    if len(old) + len(new) > _MOST:
        gone = (Line(kind="removed", text=line) for line in old[: _MOST // 2])
        come = (Line(kind="added", text=line) for line in new[: _MOST // 2])
        return (*gone, *come)
    # Skip the two header lines by position, since a line of the input may look like one.
    shown = list(difflib.unified_diff(old, new, lineterm="", n=_AROUND))[2:]
    if shown and shown[0].startswith(("@@ -1 ", "@@ -1,")):
        shown = shown[1:]  # nothing is left out before the first line
    return tuple(_marked([Line(kind=_KIND[one[0]], text="…" if one[0] == "@" else one[1:]) for one in shown]))


def _marked(lines: Sequence[Line]) -> Iterator[Line]:
    """If as many lines were added as removed, compare them in pairs by words."""
    runs = [list(run) for _, run in groupby(lines, key=lambda line: line.kind)]
    before: list[Line] = []
    for run in [*runs, []]:
        replaced = len(before) == len(run) and 0 < len(run) <= _PAIRS
        if replaced and before[0].kind == "removed" and run[0].kind == "added":
            pairs = [_pair(old, new) for old, new in zip(before, run, strict=True)]
            yield from (old for old, _ in pairs)
            before = [new for _, new in pairs]
        else:
            yield from before
            before = run


def _pair(old: Line, new: Line) -> tuple[Line, Line]:
    if max(len(old.text), len(new.text)) > _LONGEST:
        return old, new
    words = _WORD.findall(old.text), _WORD.findall(new.text)
    matcher = difflib.SequenceMatcher(None, *words, autojunk=False)
    if matcher.ratio() < _ALIKE:
        return old, new
    changed = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _with_marks(old, words[0], [(begin, end) for _, begin, end, _, _ in changed]),
        _with_marks(new, words[1], [(begin, end) for _, _, _, begin, end in changed]),
    )


def _with_marks(line: Line, words: list[str], spans: list[tuple[int, int]]) -> Line:
    at = [0]
    for word in words:
        at.append(at[-1] + len(word))
    marks = [_inner(line.text, at[begin], at[end]) for begin, end in spans if begin < end]
    return msgspec.structs.replace(line, pieces=pieces(line.text, marks))


def _inner(text: str, begin: int, end: int) -> tuple[int, int]:
    """A mark without the spaces around it, unless it is only spaces."""
    marked = text[begin:end]
    if not marked.strip():
        return begin, end
    return end - len(marked.lstrip()), begin + len(marked.rstrip())
