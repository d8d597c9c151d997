"""Texts cut into what a template shows: marked pieces, lines, a diff apart from its body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from interlock.events.tool import JsonObject


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a text, and whether it is what was looked for."""

    text: str
    marked: bool = False


def pieces(text: str, marks: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """The text in order; marks that run into each other count once."""
    found, at = [], 0
    for begin, end in marks:
        if begin < at:
            continue
        found += [Piece(text=text[at:begin]), Piece(text=text[begin:end], marked=True)]
        at = end
    found.append(Piece(text=text[at:]))
    return tuple(piece for piece in found if piece.text)


def without_diff(body: JsonObject) -> tuple[JsonObject, list[str]]:
    """The body and the lines of the diff in its data, which nobody can read inside JSON."""
    data: Any = body.get("data")
    if not isinstance(data, dict) or not isinstance(data.get("diff"), str):
        return body, []
    lines = data["diff"].split("\n")
    return {**body, "data": {**data, "diff": f"{len(lines) - 1} lines, below"}}, lines[:-1] or lines
