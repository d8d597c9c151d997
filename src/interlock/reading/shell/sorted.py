"""The words of a command, sorted once for however often the same command stands in a text."""

from __future__ import annotations

import msgspec

from interlock.reading.programs.arguments import Arguments, Flag, sort_arguments
from interlock.reading.word import Word


class Sorted(msgspec.Struct, frozen=True, gc=False):
    """What follows from the words of a command alone."""

    words: tuple[Word, ...]  # the very ones that the arguments hold: by them a command inside finds its place
    arguments: Arguments
    acting: tuple[Flag, ...]  # the options that have a power or an effect, or that nobody knows
    powers: tuple[int, ...]  # where those stand that make a program do more than its name says


def sort_words(words: tuple[Word, ...], arguments: Arguments | None = None) -> Sorted:
    """Sort the words of a command, unless somebody has."""
    if arguments is None:
        arguments = sort_arguments(words)
    flags = arguments.flags
    if not flags:
        return Sorted(words, arguments, (), ())
    acting = tuple([flag for flag in flags if flag.option is None or not flag.option.idle])
    if not acting:
        return Sorted(words, arguments, (), ())
    powers = tuple([flag.index for flag in acting if flag.option is not None and flag.option.power])
    return Sorted(words, arguments, acting, powers)
