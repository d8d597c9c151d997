"""`git checkout PATH` without `--`: what is called so is put back as it was, and its changes are lost."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from interlock.effects.command import Command
from interlock.effects.programs.arguments import Arguments, sort_arguments

_CHECKOUT: Final = "git checkout"
# They make a branch, ask about each change, or take a side of a conflict.
_OTHERWISE: Final = frozenset({"-b", "-B", "--orphan", "-t", "-d", "-p", "-2", "-3"})
_WILD: Final = re.compile(r"[*?\[]")
_OPEN: Final = re.compile(r"[$`]")


def discards(commands: Sequence[Command]) -> Iterator[tuple[str, str]]:
    """The paths whose changes are lost, each with the command that does it."""
    for command in commands:
        words = command.words
        if words and words[0].text.endswith("git") and any(one.text == "checkout" for one in words):
            arguments = command.arguments or sort_arguments(words)
            if arguments.name == _CHECKOUT and (path := _path(arguments, command.cwd)) is not None:
                yield path, command.written


def _path(arguments: Arguments, folder: str | None) -> str | None:
    """The one operand, where it is no branch: git takes no name for one that is also a file."""
    if len(arguments.operands) != 1 or any(flag.name in _OTHERWISE for flag in arguments.flags):
        return None
    word = arguments.operands[0].word
    if _OPEN.search(word.text):
        return None
    if _WILD.search(word.text) or word.text.endswith("/") or word.text.startswith(":"):
        return word.text
    for flag in arguments.flags:
        if flag.name == "-C" and flag.value is not None:
            folder = str(Path(folder, flag.value.text)) if folder and flag.value.fixed else None
    there = folder is not None and os.path.lexists(Path(folder, word.text))
    return word.text if there else None
