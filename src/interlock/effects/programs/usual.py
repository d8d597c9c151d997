"""Sorting the words of a usual command: options that stand alone or before their value, and operands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from interlock.effects.programs.argument import Arguments, Flag, Operand
from interlock.effects.programs.little_code import LITTLE
from interlock.effects.programs.lookup import subcommand_named
from interlock.effects.programs.program import Option, Program, Role
from interlock.effects.programs.roles import ROLES_BY_TEXT, operand_roles
from interlock.effects.word import Word

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
    options, rest = program.options, program.rest or _TEXT
    flags: list[Flag] = []
    loose: list[Operand] = []
    while at < count:
        word = words[at]
        text = word.text
        option = options.get(text)
        if option is None:
            if text[:1] not in _MAYBE_OPTION:
                loose.append(Operand(word, rest, at))
                if not program.mixed:  # no option follows an operand
                    loose += _operands(words, rest, at + 1)
                    break
            elif (at := _take_odd(words, at, program, flags, loose)) < 0:
                return None
        elif option.plain or option.joined:
            flags.append(Flag(option.names[0], None, option, at))
        elif option.valued:
            value = words[at + 1] if at + 1 < count else None
            flags.append(Flag(option.names[0], value, option, at))
            at += 1
        else:
            return None
        at += 1
    if program.operands or program.last:
        return Arguments(program, program.name, tuple(flags), _placed(program, loose))
    return Arguments(program, program.name, tuple(flags), tuple(loose))


def _take_odd(
    words: Sequence[Word], at: int, program: Program, flags: list[Flag], loose: list[Operand]
) -> int:
    """Take a word that begins with a sign; the last place taken with it, -1 if it takes a closer look."""
    word, rest = words[at], program.rest or _TEXT
    text = word.text
    if text == "--":
        flags.append(Flag(text, None, None, at))
        loose += _operands(words, rest, at + 1)
        return len(words) - 1
    if text[0] == "-" and text != "-":
        return at if _take_joined(word, at, program.options, flags) else -1
    # What begins with a variable is an option if that is empty: `$v-delete`.
    if not program.mixed or text[0] == "+" or (text != "-" and "-" in text):
        return -1
    loose.append(Operand(word, rest, at))
    return at


def _take_joined(word: Word, at: int, options: dict[str, Option], flags: list[Flag]) -> bool:
    """Take `--name=value`, `-abc` or `-n5`; False if it takes a closer look."""
    text = word.text
    if text[1:2] == "-":
        name, equals, value = text.partition("=")
        option = options.get(name)
        if option is None or not equals or not (option.plain or option.valued or option.joined):
            return False
        flags.append(Flag(option.names[0], Word(value, word.fixed), option, at))
        return True
    return _take_letters(word, at, options, flags)


def _take_letters(word: Word, at: int, options: dict[str, Option], flags: list[Flag]) -> bool:
    """Take options of one letter each, of which the last may have its value attached, or a number."""
    text = word.text
    for place, letter in enumerate(text[1:], 2):
        option = options.get(f"-{letter}")
        if option is None:
            if place > 2 or not text[1:].isdigit():  # noqa: PLR2004 - the first letter
                return False
            flags.append(Flag(text, None, None, at))
            return True
        if option.plain:
            flags.append(Flag(option.names[0], None, option, at))
        elif (option.valued or option.joined) and (option.joined or place < len(text)):
            value = Word(text[place:], word.fixed) if place < len(text) else None
            flags.append(Flag(option.names[0], value, option, at))
            return True
        else:
            return False
    return True


def _placed(program: Program, loose: list[Operand]) -> tuple[Operand, ...]:
    """The operands, each with the role of its place."""
    roles = operand_roles(program, len(loose), None, drops=False)
    return tuple([Operand(one.word, role, one.index) for one, role in zip(loose, roles, strict=True)])


def _operands(words: Sequence[Word], role: Role, start: int) -> list[Operand]:
    """All words from there on, in the same role."""
    return [Operand(words[place], role, place) for place in range(start, len(words))]


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
    return Arguments(program, program.name, (), tuple(_operands(words, program.rest or _TEXT, at)))
