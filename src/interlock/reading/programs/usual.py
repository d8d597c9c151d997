"""Sorting the words of a usual command: options that stand alone or before their value, and operands."""

from __future__ import annotations

from collections.abc import Sequence

from interlock.reading.programs.argument import Arguments, Flag, Operand
from interlock.reading.programs.little_code import LITTLE
from interlock.reading.programs.lookup import subcommand_named
from interlock.reading.programs.program import Program, Role
from interlock.reading.programs.roles import ROLES_BY_TEXT
from interlock.reading.word import Word

_BY_TEXT = LITTLE | ROLES_BY_TEXT  # programs whose operands are looked at
_TEXT = Role.TEXT  # a name of the module is found sooner than a member of a class


def sort_usual(words: Sequence[Word], program: Program) -> Arguments | None:
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
        return _sort_operands(words, program, at) if program.style == "none" else None
    options, rest = program.options, program.rest or _TEXT
    flags: list[Flag] = []
    operands: list[Operand] = []
    while at < count:
        word = words[at]
        text = word.text
        option = options.get(text)
        if option is None:
            if text[:1] in ("-", "+") and text != "-":
                return None
            operands.append(Operand(word, rest, at))
        elif option.plain:
            flags.append(Flag(option.names[0], None, option, at))
        elif option.valued:
            value = words[at + 1] if at + 1 < count else None
            flags.append(Flag(option.names[0], value, option, at))
            at += 1
        else:
            return None
        at += 1
    return Arguments(program, program.name, tuple(flags), tuple(operands))


def _sort_operands(words: Sequence[Word], program: Program, at: int) -> Arguments | None:
    """The same for a program that has no options, as `echo` and `test` do: all from there on are operands."""
    if program.runs or program.operands or program.last or program.name in _BY_TEXT:
        return None
    rest = program.rest or _TEXT
    operands = [Operand(words[place], rest, place) for place in range(at, len(words))]
    return Arguments(program, program.name, (), tuple(operands))
