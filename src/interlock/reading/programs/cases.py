"""Options whose meaning depends on how their value begins."""

from __future__ import annotations

from interlock.reading.programs.program import Option
from interlock.reading.word import Word


def special_case(option: Option, value: Word) -> tuple[Option, Word]:
    """What an option is for this value, and the part of the value that counts (`-o ProxyCommand=CMD`)."""
    text = value.text if value.fixed else value.text.lstrip("\"'")
    low = text.lower()
    for start, special in option.cases:
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
        return special, Word(rest.lstrip(" =").removeprefix("!"), value.fixed, value.splits)
    return option, value
