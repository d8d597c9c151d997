"""Whether words that are only known at run time may move the start of a command or text."""

from __future__ import annotations

import re
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.program import Arguments, Role, may_take_more
from interlock.effects.shell.scope import Scope

_OPTION: Final = r"(?:--?[A-Za-z][A-Za-z-]*=?)?"  # that a value may be attached to
_SURE: Final = re.compile(rf"{_OPTION}(?:\$\(\([\w\s${{}}#+*/%-]*\)\)|\$[#?$]|\$\{{#\w+\}})", re.ASCII)
# What these print is a number, or nothing where the program fails or is missing.
_COUNTING: Final = (
    r"(?:nproc(?: --all)?|getconf _NPROCESSORS_ONLN|sysctl -n hw\.(?:ncpu|logicalcpu|physicalcpu))"
    r"(?: 2>/dev/null)?"
)
_COUNTED: Final = re.compile(
    rf"{_OPTION}\$\( ?{_COUNTING}(?: \|\| (?:{_COUNTING}|echo [0-9]+))* ?\)", re.ASCII
)
_PROGRAMS: Final = frozenset({"nproc", "getconf", "sysctl", "echo"})
# Options that fail unless their value is a number, and texts that no program reads as a number.
_NUMERIC: Final = {"xargs": frozenset({"-P", "-n", "-L", "-s"}), "nice": frozenset({"-n"})}
_NO_NUMBER: Final = re.compile(r"(?!inf|nan)(?:-?[A-Za-z_]|--|[./])", re.IGNORECASE)


def may_move(arguments: Arguments, words: tuple[Word, ...], first: int, scope: Scope) -> bool:
    """Return whether a word before the command may become none or several, or take the next word."""
    for flag in arguments.flags:
        if may_take_more(flag, words) and not _is_one(arguments, words, flag.index, scope):
            return True
    return any(words[at].splits and not _is_one(arguments, words, at, scope) for at in range(1, first))


def moving_option(arguments: Arguments, words: tuple[Word, ...], scope: Scope) -> str | None:
    """Return an option before a shell text whose value may become none or several words, or take the text."""
    for flag in arguments.flags:
        value = flag.value
        if value is not None and (value.splits or may_take_more(flag, words)):
            apart = value is _behind(words, flag.index)
            if not _is_one(arguments, words, flag.index + apart, scope):
                return flag.name
    return None


def unknown_option(arguments: Arguments, words: tuple[Word, ...]) -> str | None:
    """Return an unknown option before the command: it may take the next word as its value."""
    for flag in arguments.flags:
        if flag.option is not None and flag.option.value is Role.COMMAND:
            return None  # the command begins after this option in any case
        behind = _behind(words, flag.index)
        if flag.option is not None or flag.value is not None or behind is None or behind.text[:1] == "-":
            continue
        if flag.name[:1] == "-" and flag.name != "--" and not flag.name[1:].isdigit():
            return flag.name
    return None


def _behind(words: tuple[Word, ...], at: int) -> Word | None:
    return words[at + 1] if at + 1 < len(words) else None


def _is_one(arguments: Arguments, words: tuple[Word, ...], at: int, scope: Scope) -> bool:
    """Return whether a word is one number; if it may be empty, the next word must be no valid value."""
    if scope.lost or "IFS" in scope.variables:  # values may be split anywhere
        return False
    if _SURE.fullmatch(words[at].text):
        return True
    behind = _behind(words, at)
    if behind is None or not behind.fixed or not _NO_NUMBER.match(behind.text):
        return False
    counted = _COUNTED.fullmatch(words[at].text) is not None
    return counted and _is_usual(scope) and _wants_number(arguments, words, at)


def _wants_number(arguments: Arguments, words: tuple[Word, ...], at: int) -> bool:
    """Return whether the program fails if this word is no number."""
    flags = [flag for flag in arguments.flags if flag.value is not None]
    names = [flag.name for flag in flags if flag.value is words[at] or flag.index == at]
    return not _NUMERIC.get(arguments.name, frozenset()).isdisjoint(names)


def _is_usual(scope: Scope) -> bool:
    """Return whether the programs that count processors are the usual ones."""
    if "PATH" in scope.variables or not scope.shadowed.isdisjoint(_PROGRAMS):
        return False
    return scope.functions.keys().isdisjoint(_PROGRAMS)
