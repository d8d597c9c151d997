"""Assignments in a shell text: one value, or the elements of an array."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from interlock.effects.shell.stuck import StuckError
from interlock.effects.shell.syntax import Assignment, Spelled

if TYPE_CHECKING:
    from interlock.effects.shell.grammar import Grammar

_AFTER_WORD: Final = frozenset({"", " ", "\t", "\n", ";", "&", "|", "<", ">", ")"})


def read_assignment(grammar: Grammar, match: re.Match[str]) -> Assignment:
    """The variable that is set here and its value."""
    grammar.scan.position = match.end()
    plain = not match["key"] and not match["add"]
    if grammar.text.startswith("(", grammar.scan.position):
        adds = bool(match["add"] or match["key"])
        return Assignment(
            name=match["name"], value=None, elements=read_array(grammar), plain=False, adds=adds
        )
    adds = bool(match["add"]) and not match["key"]
    return Assignment(name=match["name"], value=grammar.scan.value(), plain=plain, adds=adds)


def read_array(grammar: Grammar) -> tuple[Spelled, ...]:
    """The elements of an array, up to and over its `)`."""
    grammar.scan.position += 1
    elements: list[Spelled] = []
    while True:
        grammar.skip_lines()
        if grammar.text.startswith(")", grammar.scan.position):
            grammar.scan.position += 1
            if grammar.text[grammar.scan.position : grammar.scan.position + 1] not in _AFTER_WORD:
                raise StuckError("text right after an array", grammar.scan.position)
            return tuple(elements)
        word = grammar.scan.word()
        if word is None:
            raise StuckError("array that is not understood", grammar.scan.position)
        elements.append(word)
