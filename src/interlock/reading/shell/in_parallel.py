"""What GNU parallel runs: a text for each word behind `:::`, or for each line that it is given."""

from __future__ import annotations

import re
import shlex
from typing import Final

from interlock.reading.programs.arguments import Arguments
from interlock.reading.programs.program import Role
from interlock.reading.word import Word

_MOST: Final = 50  # words behind `:::` that are each put in
# Options that do not change what stands for `{}`.
_PLAIN: Final = frozenset(
    ("-j", "-k", "-t", "-v", "-u", "-r", "--bar", "--eta", "--will-cite", "--tag", "--halt", "--delay",
     "--timeout", "--retries", "--joblog", "--results", "--line-buffer", "--lb", "--load", "--nice")
)  # fmt: skip
_PIPING: Final = frozenset({"--pipe", "--pipepart"})  # what it is given is the input of the text
_LIST: Final = ":::"
_LISTS: Final = (":::+", "::::")
_MEANING: Final = re.compile(r"[;&|<>()$`\\'\"#*?\[\n]")  # more than words
_HOLE: Final = "{}"


def fed_in_parallel(whole: Word, arguments: Arguments) -> tuple[Word, ...] | None:
    """The same as a command of `xargs`, where lines that only the run brings are put behind plain words."""
    if not whole.fixed or _MEANING.search(whole.text) or _is_piped(arguments) or _is_listed(arguments):
        return None
    return (Word("xargs"), *map(Word, whole.text.split()))


def texts_in_parallel(whole: Word, arguments: Arguments) -> list[Word]:
    """The texts for a shell: each word behind `:::` stands where the text says `{}`, or at its end."""
    given = [o.word for o in arguments.operands if o.role is not Role.SHELL]
    named = [word for word in given if not word.text.startswith(_LIST)]
    if [word.text for word in given if word.text.startswith(_LIST)] == [_LIST] and _takes_each(
        whole, named, arguments
    ):
        if whole.text == _HOLE:
            return [Word(word.text, whole.fixed) for word in named]
        return [Word(whole.text.replace(_HOLE, shlex.quote(word.text)), whole.fixed) for word in named]
    if not _is_listed(arguments) and "{" not in whole.text and not _is_piped(arguments):
        return [Word(f"{whole.text} {_HOLE}", whole.fixed)]
    return [whole, Word(" ".join((whole.text, *(word.text for word in named))), whole.fixed)]


def _is_piped(arguments: Arguments) -> bool:
    return any(flag.name in _PIPING for flag in arguments.flags)


def _is_listed(arguments: Arguments) -> bool:
    """Whether words, and no lines of a file or of the input, stand for `{}`."""
    return any(
        operand.word.text.startswith(_LIST) and not operand.word.text.startswith(_LISTS)
        for operand in arguments.operands
    )


def _takes_each(whole: Word, named: list[Word], arguments: Arguments) -> bool:
    """Whether it is known what will stand for `{}`, and nothing else says otherwise."""
    if _HOLE not in whole.text or not 0 < len(named) <= _MOST:
        return False
    return all(flag.name in _PLAIN for flag in arguments.flags) and all(word.fixed for word in named)
