"""Options whose meaning depends on how their value begins."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.programs.program import Option
from interlock.effects.word import Word

_VERSION: Final = re.compile(r"(?:(?:c?python|pypy)@?)?[0-9]+(?:\.[0-9]+)*", re.ASCII)


def special_case(option: Option, value: Word) -> tuple[Option, Word]:
    """What an option is for this value, and the part of the value that counts (`-o ProxyCommand=CMD`)."""
    # Blanks and quotes around the name of a setting mean nothing to those who read it.
    text = value.text.lstrip(' \t"' if value.fixed else " \t\"'")
    low = text.lower()
    for start, special in option.cases:
        if start[0] in "=#":  # the whole value
            if not value.fixed or (text != start[1:] if start[0] == "=" else not _VERSION.fullmatch(text)):
                continue
            return special, value
        if start[0] == "*":
            _, found, rest = text.partition(start[1:])
            if not found:
                continue
        elif low.startswith(start):
            rest = text[len(start) :]
            if start[-1] == ".":
                rest = rest.partition("=")[2]
        else:
            continue
        return special, Word(rest.lstrip(' \t"=').removeprefix("!"), value.fixed, value.splits)
    return option, value
