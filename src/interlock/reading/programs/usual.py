"""Sorting the words of a usual command: options that stand alone or before their value, and operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interlock.reading.programs.argument import Arguments, Flag, Operand
from interlock.reading.programs.little_code import LITTLE
from interlock.reading.programs.lookup import subcommand_named
from interlock.reading.programs.program import Option, Program, Role
from interlock.reading.programs.roles import ROLES_BY_TEXT, operand_roles
from interlock.reading.word import Word

_BY_TEXT = LITTLE | ROLES_BY_TEXT  # programs whose operands are looked at
_TEXT = Role.TEXT  # a name of the module is found sooner than a member of a class
_MAYBE_OPTION: Final = frozenset("-+$`")  # how a word begins that is no plain operand


def sort_usual(  # noqa: C901 - one loop over the words of every command, in one piece to be quick
    words: Sequence[Word], program: Program
) -> Arguments | None:
    """Every word in its place, as a closer look would give it; None where it takes one."""
    at, count = 1, len(words)
    while program.depth and at < count:
        word = words[at]
        entry = subcommand_named(f"{program.name} {word.text}") if word.fixed else None
        if entry is None or word.text in program.options or program.style != "gnu":
            return None
        program = entry
        at += 1
    if not program.usual:
        return _sort_operands(words, program, at)
    options = program.options
    flags: list[Flag] = []
    loose: list[int] = []
    while at < count:
        word = words[at]
        text = word.text
        option = options.get(text)
        if option is None:
            if text[:1] not in _MAYBE_OPTION:
                loose.append(at)
                if not program.mixed:  # no option follows an operand
                    loose.extend(range(at + 1, count))
                    break
            elif not _take_joined(word, at, options, flags, loose):
                return None
        elif option.plain:
            flags.append(Flag(option.names[0], None, option, at))
        elif option.valued:
            value = words[at + 1] if at + 1 < count else None
            flags.append(Flag(option.names[0], value, option, at))
            at += 1
        else:
            return None
        at += 1
    if program.operands or program.last:
        return Arguments(program, program.name, tuple(flags), _placed(words, program, loose))
    rest = program.rest or _TEXT
    operands = tuple([Operand(words[at], rest, at) for at in loose]) if loose else ()
    return Arguments(program, program.name, tuple(flags), operands)


def _take_joined(
    word: Word, at: int, options: dict[str, Option], flags: list[Flag], loose: list[int]
) -> bool:
    """Take `--name=value`, `-abc`, or an operand that the run completes; False if it takes a closer look."""
    text = word.text
    if text[0] != "-":
        # What begins with a variable is an option if that is empty: `$v-delete`.
        if text[0] == "+" or "-" in text:
            return False
        loose.append(at)
        return True
    if text[1:2] == "-":
        name, equals, value = text.partition("=")
        option = options.get(name)
        if option is None or not equals or not (option.plain or option.valued):
            return False
        flags.append(Flag(option.names[0], Word(value, word.fixed), option, at))
        return True
    several = [options.get(f"-{letter}") for letter in text[1:]]
    for option in several:
        if option is None or not option.plain:
            return False
        flags.append(Flag(option.names[0], None, option, at))
    return bool(several)


def _placed(words: Sequence[Word], program: Program, loose: list[int]) -> tuple[Operand, ...]:
    """The operands, each with the role of its place."""
    roles = operand_roles(program, len(loose), None, drops=False)
    return tuple([Operand(words[at], role, at) for at, role in zip(loose, roles, strict=True)])


def _sort_operands(words: Sequence[Word], program: Program, at: int) -> Arguments | None:
    """The same for a program that has no options, as `echo` and `test` do: all from there on are operands."""
    if (
        program.style != "none"
        or program.runs
        or program.operands
        or program.last
        or program.name in _BY_TEXT
    ):
        return None
    rest = program.rest or _TEXT
    operands = [Operand(words[place], rest, place) for place in range(at, len(words))]
    return Arguments(program, program.name, (), tuple(operands))
