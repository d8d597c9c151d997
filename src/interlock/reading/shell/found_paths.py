"""The files that `find` may find, by what it is told."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice, product
from os.path import basename
from typing import Final

from interlock.reading.paths.components import ANY_DEPTH
from interlock.reading.programs.arguments import Arguments, sort_arguments
from interlock.reading.shell.easy import read_easy
from interlock.reading.word import Word

_MOST: Final = 32  # folders and names that are put together
_NAMING: Final = frozenset({"-name", "-iname", "-path", "-ipath"})
_EVERY: Final = "*"
_WILD: Final = frozenset("*?[")


def paths_of(arguments: Arguments) -> Iterator[Word]:
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


def paths_printed(substitution: str) -> Iterator[Word]:
    """The same of `$(find …)`, or of `` `find …` ``."""
    command = substitution.strip("`").removeprefix("$(").removesuffix(")")
    words = [word for word in read_easy(command.partition("|")[0])[0] if ">" not in word.text]
    return islice(paths_of(sort_arguments(words)), _MOST)
