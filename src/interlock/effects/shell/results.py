"""What is done to files that another command finds: `find … -exec`, `… | xargs`."""

from __future__ import annotations

from itertools import islice
from typing import Final

from interlock.effects.programs.arguments import Arguments, sort_arguments
from interlock.effects.shell.consequences import note_consequences
from interlock.effects.shell.findings import Findings
from interlock.effects.shell.found_paths import paths_of
from interlock.effects.shell.scope import Scope
from interlock.effects.word import Word

_MOST: Final = 32  # folders and names that are put together


def note_results(
    words: tuple[Word, ...], found_by: Arguments, scope: Scope, found: Findings, by: str
) -> None:
    """Note what a command does to what it is given in place of its open words, or behind the last of them."""
    for path in islice(paths_of(found_by), _MOST):
        given = [path if not word.fixed and word.splits else word for word in words]
        if given == list(words):
            given.append(path)
        arguments = sort_arguments(given)
        entry = arguments.program
        if entry is not None:
            note_consequences(arguments.operands, arguments.flags, entry, scope, found, by)
