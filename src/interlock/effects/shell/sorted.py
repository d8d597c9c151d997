"""The words of a command, sorted once for however often the same command stands in a text."""

from __future__ import annotations

import msgspec

from interlock.effects.programs.arguments import Arguments, Flag, sort_arguments
from interlock.effects.programs.program import Role
from interlock.effects.programs.roles import STREAMS
from interlock.effects.word import Word

_WRITE = Role.WRITE  # a name of the module is found sooner than a member of a class


class Sorted(msgspec.Struct, frozen=True, gc=False):
    """What follows from the words of a command alone."""

    words: tuple[Word, ...]  # the very ones that the arguments hold: by them a command inside finds its place
    arguments: Arguments
    acting: tuple[Flag, ...]  # the options that have a power or an effect, or that nobody knows
    powers: tuple[int, ...]  # where those stand that make a program do more than its name says


def sort_words(words: tuple[Word, ...]) -> Sorted:
    """Sort the words of a command."""
    arguments = sort_arguments(words)
    flags = arguments.flags
    if not flags:
        return Sorted(words, arguments, (), ())
    acting = tuple([flag for flag in flags if flag.option is None or not flag.option.idle])
    if acting:
        acting = tuple([flag for flag in acting if not _into_stream(flag)])
    if not acting:
        return Sorted(words, arguments, (), ())
    powers = tuple([flag.index for flag in acting if flag.option is not None and flag.option.power])
    return Sorted(words, arguments, acting, powers)


def _into_stream(flag: Flag) -> bool:
    """Whether an option names a file to write that is none: `curl -o /dev/null`."""
    option, value = flag.option, flag.value
    if value is None or option is None or option.value is not _WRITE or option.does is not None:
        return False
    return value.fixed and value.text in STREAMS
