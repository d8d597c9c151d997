"""The words of a command, each in its place: options, values, operands and a command that it runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from interlock.effects.effect import Word
from interlock.effects.programs.program import Option, Program, Role

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


_MOST_LETTERS: Final = 40  # so that a long word costs no more than another


class Flag(msgspec.Struct, frozen=True, gc=False):
    """One option as given."""

    name: str  # the option's first name where it is known, else as written
    value: Word | None = None
    option: Option | None = None  # None: the table does not know it
    index: int = 0  # of the word it stands in


class Operand(msgspec.Struct, frozen=True, gc=False):
    """One operand and what it is to the program."""

    word: Word
    role: Role
    index: int = 0


class Arguments(msgspec.Struct, frozen=True, gc=False):
    """Every word after the program in its place."""

    program: Program | None  # the entry that was used (of the subcommand, when there is one)
    name: str  # `git push`; a program the table does not know by its base name
    flags: tuple[Flag, ...] = ()
    operands: tuple[Operand, ...] = ()  # the subcommand is not among them
    commands: tuple[tuple[Word, ...], ...] = ()  # what it would run as commands (`sudo …`, `find -exec … ;`)


def may_take_more(flag: Flag, words: tuple[Word, ...]) -> bool:
    """Whether an option takes the next word when what is attached to it turns out to be empty: `-u$x`."""
    value, word = flag.value, words[flag.index]
    if value is None or value.fixed or flag.option is None or flag.option.attached or value is word:
        return False
    return value.text.startswith(("$", "`")) and word.text.endswith(value.text) and word.text[:2] != "--"


def letters_act(options: Mapping[str, Option], sign: str, rest: str) -> bool:
    """Whether options that do something may stand behind what the run decides (`sort -"$v"o f`)."""
    found = [options.get(sign + letter) for letter in rest[:_MOST_LETTERS]]
    return any(option is not None and not option.idle for option in found)
