"""What is done to files that another command finds: `find … -exec`, `… | xargs`."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice, product
from os.path import basename
from typing import Final

from interlock.reading.paths.components import ANY_DEPTH
from interlock.reading.programs.arguments import Arguments, sort_arguments
from interlock.reading.shell.consequences import note_consequences
from interlock.reading.shell.findings import Findings
from interlock.reading.shell.scope import Scope
from interlock.reading.word import Word

_MOST: Final = 32  # folders and names that are put together
_NAMING: Final = frozenset({"-name", "-iname", "-path", "-ipath"})
_EVERY: Final = "*"
_WILD: Final = frozenset("*?[")


def note_results(
    words: tuple[Word, ...], found_by: Arguments, scope: Scope, found: Findings, by: str
) -> None:
    """Note what a command does to what it is given in place of its open words, or behind the last of them."""
    for path in islice(_paths(found_by), _MOST):
        given = [path if not word.fixed and word.splits else word for word in words]
        if given == list(words):
            given.append(path)
        arguments = sort_arguments(given)
        entry = arguments.program
        if entry is not None:
            note_consequences(arguments.operands, arguments.flags, entry, scope, found, by)


def _paths(arguments: Arguments) -> Iterator[Word]:
    """What `find` may find, for each folder and name it is told, there and below; nobody knows of others."""
    if arguments.name != "find":
        yield Word("", fixed=False)
        return
    folders = [operand.word for operand in arguments.operands] or [Word(".")]
    values = [flag.value for flag in arguments.flags if flag.name in _NAMING and flag.value is not None]
    names = [value.text.rpartition("/")[2] for value in values] or [_EVERY]
    for folder, name in product(folders, names):
        own = basename(folder.text)
        if own.strip(".") and fnmatchcase(own, name):  # it may be a file itself
            yield folder
        fixed = folder.fixed and _WILD.isdisjoint(name)
        start = folder.text.rstrip("/")
        yield Word(f"{start}/{name}", fixed)
        yield Word(f"{start}/{ANY_DEPTH}/{name}", fixed=False, splits=True)
