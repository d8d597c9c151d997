"""The words of a command, each in its place: options, values, operands and a command that it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from interlock.effects.programs.program import Option, Program, Role
from interlock.effects.word import Word

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
