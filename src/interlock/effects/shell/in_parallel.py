"""What GNU parallel runs: a text for each word behind `:::`, or for each line that it is given."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Final

from interlock.effects.effect import Word
from interlock.effects.programs.arguments import Arguments
from interlock.effects.programs.program import Role

_MOST: Final = 50  # words behind `:::` that are each put in
# Options that do not change what stands for `{}`.
_PLAIN: Final = frozenset(
    ("-j", "-k", "-t", "-v", "-u", "-r", "--bar", "--eta", "--will-cite", "--tag", "--halt", "--delay",
     "--timeout", "--retries", "--joblog", "--results", "--line-buffer", "--lb", "--load", "--nice")
)  # fmt: skip
_PIPING: Final = frozenset({"--pipe", "--pipepart"})  # what it is given is the input of the text
_LIST: Final = ":::"
_FILES: Final = "::::"
_LISTS: Final = (":::+", "::::")
_MEANING: Final = re.compile(r"[;&|<>()$`\\'\"#*?\[\n]")  # more than words
_HOLE: Final = "{}"
_HOLES: Final = re.compile(r"\{(?P<number>[0-9]?)(?P<part>//|/\.|/|\.)?\}")


def fed_in_parallel(whole: Word, arguments: Arguments) -> tuple[Word, ...] | None:
    """The same as a command of `xargs`, where lines that only the run brings are put behind plain words."""
    if not whole.fixed or _MEANING.search(whole.text) or _is_piped(arguments) or _is_listed(arguments):
        return None
    if _runs_lines(arguments):
        return None
    return (Word("xargs"), *map(Word, whole.text.split()))


def texts_in_parallel(whole: Word, arguments: Arguments) -> list[Word]:
    """The texts for a shell: what stands behind `:::` is put where the text says `{}`, or at its end."""
    if _runs_lines(arguments):
        return [Word(_HOLE, fixed=False)]
    given = [o.word for o in arguments.operands if o.role is not Role.SHELL]
    named = [word for word in given if not word.text.startswith(_LIST)]
    if texts := _each(whole, given, arguments):
        return texts
    if not _is_listed(arguments) and "{" not in whole.text and not _is_piped(arguments):
        return [Word(f"{whole.text} {_HOLE}", whole.fixed)]
    return [whole, Word(" ".join((whole.text, *(word.text for word in named))), whole.fixed)]


def _each(whole: Word, given: list[Word], arguments: Arguments) -> list[Word]:
    """A text for each word, or for each choice of one from every list; none where that is not known."""
    lists: list[list[str]] = []
    for word in given:
        if word.text == _LIST:
            lists.append([])
        elif word.text.startswith(_LIST) or not lists or not word.fixed:
            return []
        else:
            lists[-1].append(word.text)
    if not lists or not 0 < prod(map(len, lists)) <= _MOST:
        return []
    if any(flag.name not in _PLAIN for flag in arguments.flags):
        return []
    if whole.text == _HOLE and len(lists) == 1:
        return [Word(text, whole.fixed) for text in lists[0]]
    if not _HOLES.search(whole.text):
        return []
    return [Word(_fill(whole.text, chosen), whole.fixed) for chosen in product(*lists)]


def _fill(text: str, chosen: Sequence[str]) -> str:
    """A text with the words in their places: `{}`, `{2}`, `{.}` without the ending, `{/}` the last name."""

    def put(hole: re.Match[str]) -> str:
        number, part = int(hole["number"] or 0), hole["part"] or ""
        if number > len(chosen):
            return hole.group()
        meant = chosen[number - 1 : number] if number else chosen
        return " ".join(shlex.quote(_part(one, part)) for one in meant)

    return _HOLES.sub(put, text)


def _part(word: str, part: str) -> str:
    folder, slash, name = word.rpartition("/")
    if part == "//":
        return folder or (slash or ".")
    kept = name if "/" in part else word
    return re.sub(r"(?<=[^/])\.[^./]*$", "", kept) if "." in part else kept


def names_a_list(words: Sequence[Word]) -> bool:
    """Whether what it is given stands in a file: `parallel -a list`."""
    return any(word.text.startswith(("-a", "--arg-file")) for word in words[1:])


def _runs_lines(arguments: Arguments) -> bool:
    """Whether the lines of files are whole commands: `parallel :::: list`."""
    return arguments.operands[0].word.text.startswith(_FILES)


def _is_piped(arguments: Arguments) -> bool:
    return any(flag.name in _PIPING for flag in arguments.flags)


def _is_listed(arguments: Arguments) -> bool:
    """Whether words, and no lines of a file or of the input, stand for `{}`."""
    return any(
        operand.word.text.startswith(_LIST) and not operand.word.text.startswith(_LISTS)
        for operand in arguments.operands
    )
