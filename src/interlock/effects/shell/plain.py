"""Texts of the plainest kind, which most are: words, and words joined by `&&`."""

from __future__ import annotations

from typing import Final

from interlock.effects.shell.easy import read_easy
from interlock.effects.shell.run import FEW
from interlock.effects.shell.signs import PLAIN, beginning_at
from interlock.effects.shell.syntax import Chain, Node, Simple

_AND: Final = "&&"


def plain_chain(text: str) -> Node | None:
    """The commands of a text that is nothing but plain ones, each run if the one before it succeeds."""
    first: Simple | None = None
    rest: list[tuple[str, Node]] = []
    position, length = 0, len(text)
    while len(rest) < FEW:
        found = beginning_at(text, position)
        if found is None or found.lastindex != PLAIN:
            return None
        words, width, _ = read_easy(found[PLAIN])
        if not words:
            return None
        start, position = found.span(PLAIN)
        command = Simple(start, start + width, words)
        if first is None:
            first = command
        else:
            rest.append((_AND, command))
        if position == length:
            return Chain(first, tuple(rest)) if rest else first
        if text[position : position + 2] != _AND:
            return None
        position += 2
    return None
